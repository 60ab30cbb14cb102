/** Inviting many people, or importing users of another system: a list is checked, and then what is right in it is added. */
import { useRef, useState } from 'preact/hooks';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { ask } from '../../../kit/graphql.js';
import { Problem } from '../../../kit/problem.js';
import { useUniqueId } from '../../../kit/unique-id.js';
import { ImportUsers } from '../../operations.js';
import { RoleField } from '../user/dialogs.js';
import { isRole } from '../user/facts.js';
import { MailChoice } from '../user/password-link.js';
import { count, issueLinks, type Link, LinksFile, Progress, type Refused, RefusedList, useParts } from './batches.js';
import { STATES } from './filters.js';
import { type Fault, type Line, partsOf, readPeople, readUsers } from './lines.js';

interface Kind {
  title: string;
  verb: string;
  text: string;
  label: string;
  accept: string;
}

const KINDS = {
  invite: {
    title: 'Invite many',
    verb: 'Invite',
    text: 'Creates an account without a password for each e-mail, and a link by which its owner chooses one.',
    label: 'E-mails, or CSV with a column of e-mails',
    accept: '.csv,.txt,text/csv,text/plain',
  },
  import: {
    title: 'Import users',
    verb: 'Import',
    text: 'Creates accounts from JSON lines: email, and if you have them role, password_hash, is_active and created_at. Who has a hash keeps their password.',
    label: 'One JSON object a line',
    accept: '.jsonl,.json,.txt,application/jsonl',
  },
} satisfies Record<string, Kind>;

/** What would be added, and what is left out */
interface Checked {
  lines: Line[];
  faults: Fault[];
  withPassword: number;
}

/** Faults that are shown; all are counted. */
const SHOWN_FAULTS = 100;

interface Props {
  kind: keyof typeof KINDS;
  /** Somebody was added. */
  onAdded(): void;
  onClose(): void;
}

export function AddManyDialog({ kind, onAdded, onClose }: Props) {
  const { title, verb, text: explained, label, accept } = KINDS[kind];
  const [checked, setChecked] = useState<Checked>();
  const file = useRef<string>();
  const found = useRef<{ links: Link[]; refused: Refused[] }>({ links: [], refused: [] });
  const [, redraw] = useState(0);
  const { done, run, restart } = useParts();
  const id = useUniqueId();
  const forget = (): void => {
    setChecked(undefined);
    restart();
  };

  const check = async (form: FormData): Promise<void> => {
    const role = String(form.get('role'));
    const text = file.current ?? String(form.get('lines'));
    const { lines, faults } = kind === 'invite' ? readPeople(text, isRole(role) ? role : 'viewer') : readUsers(text);
    if (lines.length + faults.length === 0) throw new Problem('There is nothing in this list.', false);
    const faulty = [...faults];
    let withPassword = 0;
    for (const part of partsOf(lines)) {
      const { importUsers: tried } = await ask(ImportUsers, { lines: part.map(({ json }) => json), dryRun: true });
      faulty.push(...(tried?.faults ?? []).map(({ line, message }) => ({ line: part[line - 1]?.line ?? 0, message })));
      withPassword += tried?.withPasswordCount ?? 0;
    }
    const left = new Set(faulty.map(({ line }) => line));
    const right = lines.filter(({ line }) => !left.has(line));
    setChecked({ lines: right, faults: faulty.sort((one, other) => one.line - other.line), withPassword });
  };

  const add = async ({ lines, faults, withPassword }: Checked, deliver: boolean) => {
    await run(partsOf(lines), async (part) => {
      const { importUsers: imported } = await ask(ImportUsers, { lines: part.map(({ json }) => json), dryRun: false });
      const [fault] = imported?.faults ?? [];
      if (fault !== undefined) {
        throw new Problem(`Line ${part[fault.line - 1]?.line}: ${fault.message}. Check the list again.`, false);
      }
      onAdded();
      if (kind === 'import') return;
      const issued = await issueLinks(imported?.users ?? [], deliver);
      found.current.links.push(...issued.links);
      found.current.refused.push(...issued.refused);
      redraw((turn) => turn + 1);
    });
    const said = `${count(lines.length, 'user')} ${kind === 'invite' ? 'invited' : 'imported'}.`;
    const withoutPassword = lines.length - withPassword;
    return (
      <>
        <p role="status">{said}</p>
        {kind === 'import' && withoutPassword > 0 && (
          <p>
            {count(withoutPassword, 'user')} came without a password. The state “{STATES['no-password']?.[0]}” of the
            list finds them: select them and press “Password links”.
          </p>
        )}
        <Faults faults={faults} />
        <LinksFile links={found.current.links} />
        <RefusedList refused={found.current.refused} />
      </>
    );
  };

  const total = checked?.lines.length ?? 0;
  return (
    <ChangeDialog
      title={title}
      action={checked === undefined ? 'Check' : `${verb} ${count(total, 'user')}`}
      isReady={checked === undefined || total > 0}
      onSubmit={async (form) => {
        if (checked !== undefined) return add(checked, form.get('deliver') !== null);
        await check(form);
        return false;
      }}
      onClose={onClose}
    >
      <p>{explained}</p>
      <div class="field">
        <label for={id}>{label}</label>
        <textarea id={id} name="lines" rows={6} spellcheck={false} autocapitalize="none" onInput={forget} />
      </div>
      <div class="field">
        <label for={`${id}-file`}>Or a file</label>
        <input
          id={`${id}-file`}
          type="file"
          accept={accept}
          onChange={async ({ currentTarget: { files } }) => {
            forget();
            file.current = await files?.[0]?.text();
          }}
        />
      </div>
      {kind === 'invite' && (
        <div onChange={forget}>
          <RoleField chosen="viewer" />
        </div>
      )}
      {kind === 'invite' && <MailChoice />}
      <div role="status">{checked !== undefined && <Found checked={checked} kind={kind} />}</div>
      <Progress done={done} of={total} />
      {found.current.links.length > 0 && <LinksFile links={found.current.links} />}
    </ChangeDialog>
  );
}

function Found({ checked: { lines, faults, withPassword }, kind }: { checked: Checked; kind: Props['kind'] }) {
  return (
    <>
      <p>
        {count(lines.length, 'user')} can be{' '}
        {kind === 'invite' ? 'invited' : `imported, ${withPassword} with a password`}.
      </p>
      <Faults faults={faults} />
    </>
  );
}

function Faults({ faults }: { faults: readonly Fault[] }) {
  if (faults.length === 0) return null;
  return (
    <>
      <p>{count(faults.length, 'fault')}, whose lines are left out:</p>
      <ul class="refused">
        {faults.slice(0, SHOWN_FAULTS).map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </>
  );
}
