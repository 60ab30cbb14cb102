/** The replica of the cluster: it follows, refuses writes, does not see who writes, and takes the primary's place. */
import { until } from '../../test/support/until.js';
import { inLab } from '../evidence/lab/lab.js';
import { startPostgresServer } from '../evidence/lab/postgres-server.js';

test('a replica has what its primary has, but not the locks of its writers, until it is promoted', async () => {
  await inLab(
    () => undefined,
    new AbortController().signal,
    async (lab) => {
      const primary = await startPostgresServer(lab);
      await primary.query('create table events (id integer)');
      const replica = await startPostgresServer(lab, `${lab.folder}/replica`, {}, primary);
      const count = async (): Promise<number> => (await replica.query('select from events')).length;

      await primary.query('insert into events values (1)');
      await until('the replica has followed', async () => (await count()) === 1);
      await expect(replica.query('insert into events values (2)')).rejects.toMatchObject({ code: '25006' });

      const writer = await primary.connect();
      await writer.query('begin; insert into events values (2)');
      const locks = "select mode from pg_locks where relation = 'events'::regclass and mode = 'RowExclusiveLock'";
      expect(await primary.query(locks)).toHaveLength(1);
      expect(await replica.query(locks)).toEqual([]); // so the horizon of an audit export is not known here
      await writer.end();

      await replica.query('select pg_promote()');
      await replica.query('insert into events values (3)');
      expect(await count()).toBe(2);
    },
  );
});
