// The code of every tutorial: a refresh in an effect, and in each tab. React runs the effect twice in StrictMode.
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

function App() {
  const [user, setUser] = useState('unknown');
  useEffect(() => {
    fetch('/auth/refresh', { method: 'POST', credentials: 'include' })
      .then((response) => setUser(response.ok ? 'known' : 'thrown out'))
      .catch(() => setUser('no answer'));
  }, []);
  return <p>{user}</p>;
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
