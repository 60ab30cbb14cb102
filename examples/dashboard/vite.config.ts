import { defineConfig } from 'vite';

/** What the gateway answers; everything else is the page's. */
const paths = ['/auth', '/graphql', '/.well-known', '/console', '/account', '/set-password', '/openapi.json'];

export default defineConfig({
  server: {
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(paths.map((path) => [path, 'http://127.0.0.1:3000'])),
  },
});
