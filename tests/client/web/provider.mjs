// A real OpenID provider, oidc-provider of npm, for the tests of the sign-in. It can be made to answer wrongly.
//
// usage: node provider.mjs keys FOLDER_OF_PAGE FOLDER     writes private.jwks and public.jwks into FOLDER
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const kClient = { id: 'page', secret: 'se:cret/+%=of the page'.replaceAll(' ', '-') };

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

if (process.argv[2] === 'keys') {
  const { privateKey, publicKey } = keyPair();
  const jwks = (key) => JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
  writeFileSync(path.join(process.argv[4], 'private.jwks'), jwks(privateKey), { mode: 0o600 });
  writeFileSync(path.join(process.argv[4], 'public.jwks'), jwks(publicKey));
}

const signed = (header, claims, key) => {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

// What the token endpoint answers instead, made of its true answer.
const kFaults = {
  audience: ({ header, claims, key }) => signed(header, { ...claims, aud: 'another' }, key),
  audiences: ({ header, claims, key }) => signed(header, { ...claims, aud: [kClient.id, 'another'] }, key),
  issuer: ({ header, claims, key }) => signed(header, { ...claims, iss: 'https://elsewhere.example.org' }, key),
  nonce: ({ header, claims, key }) => signed(header, { ...claims, nonce: 'of another sign-in' }, key),
  nonceless: ({ header, claims: { nonce, ...claims }, key }) => signed(header, claims, key),
  expired: ({ header, claims, key }) => signed(header, { ...claims, exp: claims.iat - 3600 }, key),
  signature: ({ header, claims }) => signed(header, claims, keyPair().privateKey),
  none: ({ claims }) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`,
  root: ({ header, claims, key }) => signed(header, { ...claims, preferred_username: 'root' }, key),
  nameless: ({ header, claims: { preferred_username, ...claims }, key }) => signed(header, claims, key),
};

export class SiteLogin {
  // `folder` has the keys. The page is registered with its URL.
  constructor(pageFolder, folder, port, pageUrl) {
    this.fault = '';
    this.port = port;
    this.jwks = JSON.parse(readFileSync(path.join(folder, 'private.jwks'), 'utf8'));
    this.ready = this.#make(pageFolder, pageUrl);
  }

  get issuer() {
    return `http://127.0.0.1:${this.port}`;
  }

  async #make(pageFolder, pageUrl) {
    const require = createRequire(path.resolve(pageFolder, 'package.json'));
    const { default: Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: kClient.id, client_secret: kClient.secret, redirect_uris: [`${pageUrl}signin/done`], post_logout_redirect_uris: [pageUrl], response_types: ['code'], grant_types: ['authorization_code'] }],
      jwks: this.jwks,
      cookies: { keys: ['for the test alone'] },
      claims: { openid: ['sub'], profile: ['preferred_username'] },
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id }) }),
    });
    const serve = provider.callback();
    this.server = http.createServer((request, response) => {
      if (this.fault && request.method === 'POST' && request.url === '/token') return this.#answerWrongly(serve, request, response);
      serve(request, response);
    });
    await new Promise((done) => { this.server.listen(this.port, '127.0.0.1', done); });
  }

  #answerWrongly(serve, request, response) {
    if (this.fault === 'silent') return;
    if (this.fault === 'huge') return void response.end(`{"id_token": "${'a'.repeat(1 << 20)}"}`);
    if (this.fault === 'redirect') return void response.writeHead(302, { Location: `${this.issuer}/elsewhere` }).end();
    if (this.fault === 'markup') return void response.end('<html>503</html>');
    const end = response.end.bind(response);
    response.end = (body, ...more) => {
      const answer = JSON.parse(body);
      const [header, claims] = answer.id_token.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));
      answer.id_token = kFaults[this.fault]({ header, claims, key: { key: this.jwks.keys[0], format: 'jwk' } });
      const text = JSON.stringify(answer);
      response.setHeader('Content-Length', Buffer.byteLength(text));
      return end(text, ...more);
    };
    serve(request, response);
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => { this.server.close(done); });
  }
}

export const kTokenFaults = Object.keys(kFaults);
