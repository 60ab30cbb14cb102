// The page of docs/server-side.md in the browser, which takes over what server.jsx has rendered, as in development.
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App, auth } from './app';
import './report';

window.auth = auth;
const visitor = JSON.parse(document.getElementById('visitor').textContent) ?? undefined;
hydrateRoot(
  document.getElementById('root'),
  <StrictMode>
    <App visitor={visitor} />
  </StrictMode>,
);
