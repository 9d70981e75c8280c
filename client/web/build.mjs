// Bundles the page into dist/, which the binary carries; the same sources give the same bytes. `app` is the page, `card` a
// user's card for frames, `first` what asks for the queue before `app` is there.
//
// usage: node build.mjs [FOLDER]     (default: dist, beside this file)

import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const target = process.argv[2] ?? path.join(here, 'dist');
const source = (name) => path.join(here, 'src', name);

rmSync(target, { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: {
    app: source('main.tsx'),
    card: source('card.tsx'),
    first: source('first.ts'),
    style: source('style.css'),
  },
  outdir: target,
  bundle: true,
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
});
for (const name of ['index.html', 'card.html', 'icon.svg']) copyFileSync(source(name), path.join(target, name));
