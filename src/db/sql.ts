/** SQL that is built from parts, for what administration reads. Its values are parameters. */
import { type RawBuilder, sql } from 'kysely';

export { type RawBuilder, sql };

/** Runs what `sql` has built: on the connections of administration, or inside a change. */
export interface Reads {
  read<Row>(query: RawBuilder<Row>): Promise<Row[]>;
}

/** The column of a property, by MikroORM's naming strategy. */
export function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The select list of these properties of an entity. `npm run check` compares entities and tables.
 * @param table in front of each column, if other tables have one of that name
 */
export function columnsOf(properties: readonly string[], table?: string): RawBuilder<unknown> {
  const prefix = table === undefined ? '' : `${table}.`;
  return sql.raw(properties.map((property) => `${prefix}${columnOf(property)} as "${property}"`).join(', '));
}
