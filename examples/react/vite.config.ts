import { defineConfig } from 'vite';

export default defineConfig({
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '/auth': 'http://127.0.0.1:3000',
      '/graphql': 'http://127.0.0.1:3000',
      '/set-password': 'http://127.0.0.1:3000',
    },
  },
});
