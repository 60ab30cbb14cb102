/** The page at `/console` in a browser. */
import { render } from 'preact';

function Page() {
  return (
    <main>
      <h1>auth-gateway</h1>
    </main>
  );
}

const root = document.getElementById('root');
if (root !== null) render(<Page />, root);
