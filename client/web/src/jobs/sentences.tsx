// Sentences of the service, in which the name of a grant leads to it.

import { toGrant } from '../budgets/grant_data';
import { prose } from '../parts/format';

// As in `grant chem of account chem is used up` and `It can start when grant chem is raised`; a name has no spaces. The
// grant of a domain is in that cluster: `grant chem of domain site of account chem is used up`.
const kGrant = /\bgrant (\S+)((?: of domain \S+)?)(?= of (?!domain )| is raised)/;
const kDomain = ' of domain ';

export function Sentence({ text, cluster }: { text: string; cluster: string | undefined }) {
  const [before, name, domain, after] = prose(text).split(kGrant);
  if (!name) return <>{before}</>;
  return (
    <>
      {before}grant <a href={toGrant(name, domain ? domain.slice(kDomain.length) : cluster)}>{name}</a>
      {domain}
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
