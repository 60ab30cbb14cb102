/** CONTRACT 2: what stands in DATABASE_URL, such as `sslmode`, holds for the connections of routes and of administration. */
import { openDatabase } from '../../src/db/database.js';
import { createDatabase } from '../support/postgres.js';

test('2 every connection takes the parameters of DATABASE_URL', async () => {
  const database = await createDatabase('empty');
  const db = await openDatabase(`${database.url}?options=-c%20work_mem%3D5MB`);
  try {
    expect((await db.pool.query('show work_mem')).rows).toEqual([{ work_mem: '5MB' }]);
    expect(await db.orm.em.getConnection().execute('show work_mem')).toEqual([{ work_mem: '5MB' }]);
  } finally {
    await db.close();
    await database.drop();
  }
});
