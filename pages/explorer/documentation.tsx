/** The schema: one type with its fields, and a search over all. */
import type { GraphQLArgument, GraphQLNamedType, GraphQLSchema, GraphQLType } from 'graphql';
import { getNamedType, isAbstractType, isEnumType } from 'graphql';
import { useEffect, useRef, useState } from 'preact/hooks';

const MAX_FOUND = 40;

interface Member {
  name: string;
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
  args?: readonly GraphQLArgument[];
  type?: GraphQLType;
}

type Open = (type: string) => void;

export function Documentation({ schema }: { schema: GraphQLSchema }) {
  const [sought, setSought] = useState('');
  const [path, setPath] = useState(['Query']);
  const heading = useRef<HTMLHeadingElement>(null);
  const type = schema.getType(path.at(-1) ?? '');
  const go = (next: string[]): void => {
    setSought('');
    setPath(next);
  };
  const open: Open = (name) => go([...path, name]);
  useEffect(() => {
    if (path.length > 1) heading.current?.focus(); // the button that led here is gone
  }, [path]);

  return (
    <section aria-label="Schema">
      <h2>Schema</h2>
      <label>
        Search types and fields
        <input type="search" value={sought} onInput={({ currentTarget }) => setSought(currentTarget.value)} />
      </label>
      <p class="row">
        {path.length > 1 && (
          <button type="button" class="small" onClick={() => go(path.slice(0, -1))}>
            Back
          </button>
        )}
        {['Query', 'Mutation'].map((name) => (
          <button key={name} type="button" class="small" onClick={() => open(name)}>
            {name}
          </button>
        ))}
      </p>
      {sought.trim() !== '' ? (
        <Found schema={schema} sought={sought.trim().toLowerCase()} open={open} />
      ) : (
        type !== undefined && (
          <>
            <h3 ref={heading} tabIndex={-1}>
              {type.name}
            </h3>
            <p>{withCode(type.description)}</p>
            {isAbstractType(type) && (
              <p class="row">
                Either of{' '}
                {schema.getPossibleTypes(type).map(({ name }) => (
                  <TypeButton key={name} text={name} name={name} open={open} />
                ))}
              </p>
            )}
            <ul class="members">
              {membersOf(type).map((member) => (
                <MemberItem key={member.name} member={member} open={open} />
              ))}
            </ul>
          </>
        )
      )}
    </section>
  );
}

function MemberItem({ member, open }: { member: Member; open: Open }) {
  const { name, description, deprecationReason, args = [], type } = member;
  return (
    <li>
      <code>{name}</code> {type !== undefined && <TypeOf type={type} open={open} />}
      {description && <p class="quiet">{withCode(description)}</p>}
      {deprecationReason && <p class="warn">Deprecated: {withCode(deprecationReason)}</p>}
      {args.length > 0 && (
        <ul class="members">
          {args.map((arg) => (
            <MemberItem key={arg.name} member={arg} open={open} />
          ))}
        </ul>
      )}
    </li>
  );
}

function TypeOf({ type, open }: { type: GraphQLType; open: Open }) {
  return <TypeButton text={String(type)} name={getNamedType(type).name} open={open} />;
}

function TypeButton({ text, name, open }: { text: string; name: string; open: Open }) {
  return (
    <button type="button" class="small" onClick={() => open(name)}>
      {text}
    </button>
  );
}

function Found({ schema, sought, open }: { schema: GraphQLSchema; sought: string; open: Open }) {
  const isSought = ({ name }: { name: string }): boolean => name.toLowerCase().includes(sought);
  const own = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const found = own.flatMap((type) => {
    const members = membersOf(type).filter(isSought);
    return [
      ...(isSought(type) ? [{ text: type.name, name: type.name }] : []),
      ...members.map((member) => ({ text: `${type.name}.${member.name}`, name: type.name })),
    ];
  });
  return (
    <>
      <p role="status">{foundText(found.length)}</p>
      <ul>
        {found.slice(0, MAX_FOUND).map(({ text, name }) => (
          <li key={text}>
            <TypeButton text={text} name={name} open={open} />
          </li>
        ))}
      </ul>
    </>
  );
}

function foundText(count: number): string {
  if (count === 0) return 'No type or field has this in its name.';
  return count > MAX_FOUND ? `${count} found, here are the first ${MAX_FOUND}` : `${count} found`;
}

/** Words between backticks as code. */
function withCode(text: string | null | undefined) {
  const parts = text?.matchAll(/`([^`]*)`|[^`]+/g) ?? [];
  return Array.from(parts, ({ 0: part, 1: code, index }) =>
    code === undefined ? part : <code key={index}>{code}</code>,
  );
}

function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values(type.getFields()) : [];
}
