// Links to the same place with another choice: ways to look at it, or its tabs.
import type { ComponentChildren } from 'preact';

interface Choice {
  label: string;
  options: readonly (readonly [name: string, text: ComponentChildren, ...unknown[]])[];
  chosen: string;
  to: (name: string) => string;
  children?: ComponentChildren;
}

const links = ({ options, chosen, to }: Choice, current: 'true' | 'page') =>
  options.map(([name, text]) => (
    <a href={to(name)} aria-current={name === chosen ? current : undefined}>
      {text}
    </a>
  ));

export const Choices = (choice: Choice) => (
  <nav class="choices" aria-label={choice.label}>
    {links(choice, 'true')}
  </nav>
);

export const Tabs = (choice: Choice) => (
  <nav class="tabs" aria-label={choice.label}>
    {links(choice, 'page')}
    {choice.children}
  </nav>
);
