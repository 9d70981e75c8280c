// Facts in a row: of each its name and its value; without a value a dash.
export function Facts({ facts }: { facts: string[][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value || '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
