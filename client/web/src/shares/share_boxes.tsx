// The association tree as boxes with sshare's figures; lines show the usage that is charged to the account above.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { fixed, percent, whole } from '../parts/format';
import { type Node, saying, shade, standing, standingText } from './share_data';
import { type Box, boxesOf, kBox } from './share_shapes';

const kThickest = 14; // The line of all usage.
const kLine = 14;
const kLetters = 21; // Of a line of text.

const cut = (text: string) => (text.length > kLetters ? `${text.slice(0, kLetters - 1)}…` : text);

const middle = ({ x }: Box) => x + kBox.width / 2;

function Charged({ box, parent }: { box: Box; parent: Box }) {
  const { used } = box.node;
  return (
    <line
      class={used > 0 ? '' : 'unused'}
      x1={middle(box)}
      y1={box.y}
      x2={middle(parent)}
      y2={parent.y + kBox.height}
      stroke-width={Math.max(1, kThickest * used)}
    />
  );
}

const figuresOf = ({ share }: Node) =>
  [
    `NormShares ${fixed(share.normShares, 6)}`,
    `EffectvUsage ${fixed(share.effectiveUsage, 6)}`,
    standingText(share),
  ].filter(Boolean);

function Association({ box, to }: { box: Box; to: string }) {
  const { node } = box;
  const how = standing(node.share);
  const about = [node.label, ...figuresOf(node), `used ${percent(node.used)} of all`, saying(how)].join(', ');
  return (
    <a href={to} class={`part ${shade(how)}`} aria-label={about}>
      <title>{about}</title>
      <rect x={box.x} y={box.y} width={kBox.width} height={kBox.height} rx="3" />
    </a>
  );
}

function Label({ box }: { box: Box }) {
  const how = shade(standing(box.node.share));
  return (
    <text aria-hidden="true">
      {[box.node.label, ...figuresOf(box.node)].map((line, at) => (
        <tspan class={how} x={middle(box)} y={box.y + kLine * (at + 1)}>
          {cut(line)}
        </tspan>
      ))}
    </text>
  );
}

export function ShareBoxes({ root, to }: { root: Node; to: (node: Node) => string }) {
  const { boxes, width, height, others } = useMemo(() => boxesOf(root), [root]);
  const scroll = useRef<HTMLDivElement>(null);
  // The first box is in sight.
  useLayoutEffect(() => {
    const { clientWidth } = scroll.current!;
    scroll.current!.scrollLeft = middle(boxes[0]) - clientWidth / 2;
  }, [root.id]);
  return (
    <figure class="icicle">
      <figcaption>Shares and usage as the fair-share algorithm counts them</figcaption>
      <div class="scroll" ref={scroll} tabIndex={0} role="region" aria-label="The tree, scrolls">
        <svg
          class="boxes"
          viewBox={`-2 -2 ${width + 4} ${height + 4}`}
          width={width + 4}
          role="group"
          aria-label="The tree"
        >
          {boxes.map((box) => box.parent && <Charged box={box} parent={box.parent} />)}
          {boxes.map((box) => (
            <Association key={box.node.id} box={box} to={to(box.node)} />
          ))}
          <g class="labels">
            {boxes.map((box) => (
              <Label key={box.node.id} box={box} />
            ))}
          </g>
        </svg>
      </div>
      <p class="note">
        The thicker a line, the more of all usage is charged to the account above.
        {others > 0 && ` ${whole(others)} associations are not drawn: the table has them; open an account to draw it.`}
      </p>
    </figure>
  );
}
