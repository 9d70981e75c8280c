// Sentences of the service, in which the name of a grant leads to it.
import { prose } from './format';
import { toGrant } from './grant_data';

// As in `grant chem of account chem is used up` and `It can start when grant chem is raised`; a name has no spaces.
const kGrant = /\bgrant (\S+)(?= of | is raised)/;

export function Sentence({ text, cluster }: { text: string; cluster: string | undefined }) {
  const [before, name, after] = prose(text).split(kGrant);
  if (!name) return <>{before}</>;
  return (
    <>
      {before}grant <a href={toGrant(name, cluster)}>{name}</a>
      {after}
    </>
  );
}

export const Sentences = ({ sentences, cluster }: { sentences: string[]; cluster: string | undefined }) => (
  <ul class="sentences">
    {sentences.map((sentence) => (
      <li>
        <Sentence text={sentence} cluster={cluster} />
      </li>
    ))}
  </ul>
);
