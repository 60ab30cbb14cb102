/*
 * Rotation of refresh tokens, at the grain of the program's own statements, for Spin. docs/protocol.md explains it to a
 * reader who has never seen a model; src/auth has the statements that each part names. (Spec 3.1, 4.2, 4.3, Interface 12, 20)
 *
 * One session, several instances, an owner and perhaps a thief who has copied the cookie. Nothing is lost for good but by a
 * choice that is written here: an `if` whose branches can all be taken is a choice, and Spin tries each.
 *
 * A statement under READ COMMITTED is modelled as: its snapshot; the wait for the lock of each row that it has seen, and the
 * check of the row as it is by then; its commit, which shows all that it has done at once, or its rollback. Rows that were
 * inserted after the snapshot are not seen.
 */
#ifndef SLOTS
#define SLOTS 3 /* requests under way at a time */
#endif
#ifndef REFRESHES
#define REFRESHES 2 /* that the owner sends */
#endif
#ifndef LOGOUTS
#define LOGOUTS 1
#endif
#ifndef PROOFS
#define PROOFS 1 /* confirmations: a second proof of the session */
#endif
#ifndef COPIES
#define COPIES 0 /* how often the thief copies the owner's cookie */
#endif
#ifndef USES
#define USES 0 /* how often the thief presents it */
#endif
#ifndef ONLY
#define ONLY 0 /* the invariant that is checked; 0: all */
#endif
#ifndef RECORDS
#define RECORDS (1 + REFRESHES + USES) /* no request rotates twice, so there are never more */
#endif

/* A bit for each record */
#ifdef TRACE
#define BITS int
#else
#define BITS byte
#endif

/* A record: LIVE until it is revoked, with `revoked_reason`. A logout with a used record only ends its retries. */
#define NONE 0
#define LIVE 1
#define ROTATED 2
#define RETRYLESS 3
#define LOGGED_OUT 4
#define STOLEN 5

/* Requests and their answers */
#define FREE 0
#define REFRESH 1
#define LOGOUT 2
#define PROOF 3
#define NO_ANSWER 0
#define GRANTED 1
#define RETRIED 2
#define REFUSED 3
#define DONE 4
#define GONE 5

#define OWNER 0
#define THIEF 1
#define THIEFS_KEY 99

byte state[RECORDS], child[RECORDS], retryKey[RECORDS], holder[RECORDS];
bit proved[RECORDS];
byte records = 1;

byte kind[SLOTS], token[SLOTS], key[SLOTS], previous[SLOTS], answer[SLOTS], given[SLOTS];
bit who[SLOTS];

/* The owner: the cookie plus 1, the client's stored keys, the slot plus 1 whose answer it awaits */
byte jar = 1, newest = 1, before, turn;
/* Seen by the invariants alone */
bit hasThiefSent, hasThiefGot, hasLeft, isTheftAnswered, isLogoutAnswered, isProofAnswered;
BITS sent, loggedOut;
byte copy, copiedKey, copiedBefore; /* the thief's */
byte broken;

#if SLOTS == 2
#define HAS_ROOM (kind[0] == FREE || kind[1] == FREE)
#else
#define HAS_ROOM (kind[0] == FREE || kind[1] == FREE || kind[2] == FREE)
#endif

inline require(invariant, holds) {
  if
  :: ONLY != 0 && ONLY != invariant
  :: holds
  :: else -> broken = invariant; assert(broken != invariant)
  fi
}

/* What happens is counted outside of the state, so that a run in which nothing happens is noticed. */
c_decl {
  static unsigned long happened[20];
  static const char *events[20] = { "rotated", "retried", "retried by the key before", "theft found",
    "theft looked again", "logged out", "retries ended by a logout", "logout after a rotation it waited for",
    "lock waited for", "row changed during the wait", "crash between statements", "rolled back",
    "answer lost", "given up", "late answer", "proved", "proof looked again", "thief given a token",
    "found at the owner's refresh", "thief refused" };
  __attribute__((destructor)) static void report(void) {
    for (int i = 0; i < 20; i++) printf("event %lu %s\n", happened[i], events[i]);
  }
}
#define HAPPENED(n) c_code { happened[n]++; }
#define E_ROTATED HAPPENED(0)
#define E_RETRIED HAPPENED(1)
#define E_BY_PREVIOUS HAPPENED(2)
#define E_THEFT HAPPENED(3)
#define E_AGAIN HAPPENED(4)
#define E_LOGOUT HAPPENED(5)
#define E_RETRIES_ENDED HAPPENED(6)
#define E_LOGOUT_WAITED HAPPENED(7)
#define E_WAITED HAPPENED(8)
#define E_CHANGED HAPPENED(9)
#define E_CRASH HAPPENED(10)
#define E_ROLLBACK HAPPENED(11)
#define E_LOST HAPPENED(12)
#define E_GIVEN_UP HAPPENED(13)
#define E_LATE HAPPENED(14)
#define E_PROVED HAPPENED(15)
#define E_PROOF_AGAIN HAPPENED(16)
#define E_THIEF_GOT HAPPENED(17)
#define E_FOUND HAPPENED(18)
#define E_THIEF_REFUSED HAPPENED(19)

/*
 * With REPLAY each behaviour is written down in the state, so that Spin goes through all of them and not only through all
 * states. What PostgreSQL cannot be made to do from outside is left out: a statement looks at its rows as soon as it has its
 * snapshot, a waiting one goes on as soon as it can, and nothing is lost or rolled back.
 */
#ifdef REPLAY
#define STEPS 100
int story[STEPS];
byte steps, waitsFor[SLOTS], statement[SLOTS];
#define SPLIT
#define SAY(which) statement[i] = which
#define NOTE(what, arg) story[steps] = (what) * 1000 + i * 100 + (arg); steps++
#define NOTE_VALUE(value) story[steps] = value; steps++
#define SETTLED ((waitsFor[0] == 0 || holder[waitsFor[0] - 1] != 0) && (waitsFor[1] == 0 || holder[waitsFor[1] - 1] != 0))
#define WAITS(r) waitsFor[i] = r + 1
#define WAITS_NO_MORE waitsFor[i] = 0
#else
#define SPLIT } atomic {
#define SAY(which) skip
#define NOTE(what, arg) skip
#define NOTE_VALUE(value) skip
#define SETTLED true
#define WAITS(r) skip
#define WAITS_NO_MORE skip
#endif
#define S_SEND 1
#define S_STARTED 2
#define S_WAITS 3
#define S_WOKE 4
#define S_WOKE_EMPTY 5
#define S_EMPTY 6
#define S_COMMITTED 7
#define S_READ 8
#define S_ANSWERED 9
#define ROTATE 1
#define RETRY 2
#define CLASSIFY 3
#define REVOKE_RECORD 4
#define PROVE 5
#define AT(n, scale) (n < RECORDS -> state[n] * scale : 0)

#if defined(TRACE) || defined(REPLAY)
#define UNFAIR
#define CRASH_OR_LOSS false
#else
#define CRASH_OR_LOSS true
#endif

/* The network and the client's patience are fair: no message is under way for so long that its token's successor went out. */
#ifdef UNFAIR
#define isLate(i) false
#define isTooLate(r) false
#else
#define isLate(i) (kind[i] == REFRESH && who[i] == OWNER && child[token[i]] != 0 && ((sent >> child[token[i]]) & 1))
#define isTooLate(r) (child[r] != 0 && ((sent >> child[r]) & 1))
#endif

/* Between two statements the instance may crash. Time: docs/protocol.md, "What it does not cover". */
inline between() {
  if
  :: skip
  :: CRASH_OR_LOSS -> E_CRASH; printf("@crash %d\n", i); restart(); goto lost
  fi;
  if
  :: isLate(i) -> goto lost
  :: else
  fi
}

inline restart() {
#ifdef M_START_TIME
  startedAt = records
#else
  skip
#endif
}
#ifdef M_START_TIME
byte startedAt;
#define USED_BEFORE_START(t) (state[t] == ROTATED && child[t] < startedAt)
#else
#define USED_BEFORE_START(t) false
#endif


inline liveOnes() {
  mask = 0; r = 0;
  do
  :: r < records -> mask = mask | ((state[r] == LIVE) << r); r++
  :: else -> break
  od;
  r = 0
}

inline lock(r) {
  if
  :: holder[r] != 0 -> E_WAITED; printf("@waits %d %d\n", i, r); NOTE(S_WAITS, statement[i]); WAITS(r); hasWaited = 1
  :: else
  fi;
  holder[r] == 0;
  WAITS_NO_MORE;
  holder[r] = i + 1
}

inline answers(what) {
  answer[i] = what; NOTE(S_ANSWERED, what * 10 + given[i]);
  printf("@answer %d %d %d\n", i, what, given[i])
}

inline noRow() {
  if
  :: hasWaited -> E_CHANGED; NOTE(S_WOKE_EMPTY, statement[i])
  :: else -> NOTE(S_EMPTY, statement[i])
  fi;
  hasWaited = 0
}

inline started() {
  if
  :: hasWaited -> NOTE(S_WOKE, statement[i])
  :: else -> NOTE(S_STARTED, statement[i])
  fi;
  hasWaited = 0
}

inline committed() {
  NOTE(S_COMMITTED, statement[i]);
  NOTE_VALUE(AT(0, 1) + AT(1, 6) + AT(2, 36) + AT(3, 216) + AT(4, 1296))
}

/* A rotation has committed */
inline issue() {
  assert(records < RECORDS);
  state[records] = LIVE; child[t] = records; retryKey[records] = key[i]; proved[records] = isProved; isProved = 0;
  given[i] = records; records++;
  E_ROTATED; printf("@rotated %d %d %d\n", i, t, records - 1);
  liveOnes();
  require(1, (mask & (mask - 1)) == 0);
  require(2, !isTheftAnswered);
  require(3, !isLogoutAnswered && !((loggedOut >> t) & 1));
  require(6, !isProofAnswered || proved[records - 1]);
  effect();
  mask = 0
}

/* A token has been issued */
inline effect() {
  if
  :: who[i] == THIEF -> E_THIEF_GOT; hasThiefGot = 1
  :: who[i] == OWNER ->
#ifndef WITH_KEY
    require(5, !hasThiefGot)
#else
    skip
#endif
  fi
}

inline free() {
  kind[i] = FREE; who[i] = 0; token[i] = 0; key[i] = 0; previous[i] = 0; answer[i] = NO_ANSWER; given[i] = 0;
  t = 0; s = 0; r = 0; mask = 0; SAY(0); hasWaited = 0; isTheft = 0; isProved = 0
}

/* The answer arrives */
inline arrive() {
  if
  :: who[i] == THIEF ->
    if
    :: answer[i] == GRANTED || answer[i] == RETRIED -> copy = given[i] + 1; printf("@copy %d\n", given[i])
    :: else
    fi
  :: who[i] == OWNER && kind[i] == REFRESH ->
    if
    :: (answer[i] == GRANTED || answer[i] == RETRIED) && !hasLeft && !isTooLate(given[i]) ->
      jar = given[i] + 1; printf("@jar %d\n", given[i]);
#ifdef RETRIES
      if
      :: turn == i + 1 ->
        before = retryKey[given[i]];
        newest++
      :: else -> E_LATE
      fi
#else
      skip
#endif
    :: answer[i] == REFUSED -> jar = 0; printf("@cleared\n")
    :: else
    fi;
    if
    :: turn == i + 1 -> turn = 0
    :: else
    fi
  :: who[i] == OWNER && kind[i] == LOGOUT -> jar = 0; turn = 0; printf("@out\n")
  :: else
  fi
}

proctype Instance(byte i) {
  byte t, s, r;
  BITS mask;
  bit hasWaited, isTheft, isProved;

end:
  (kind[i] != FREE && answer[i] == NO_ANSWER);
  t = token[i];
  between();
  if
  :: kind[i] == REFRESH -> goto rotating
  :: kind[i] == LOGOUT -> goto loggingOut
  :: kind[i] == PROOF -> goto proving
  fi;

rotating: /* src/auth/sessions.ts, `rotate` */
  atomic {
    SETTLED; SAY(ROTATE);
    if
    :: state[t] == LIVE || USED_BEFORE_START(t)
    :: else -> noRow(); goto retrying
    fi;
    isProved = proved[t]; printf("@sees %d %d\n", i, t);
    SPLIT
#ifdef M_CHECK_THEN_CLAIM
    between();
#endif
    lock(t);
    if
#if defined(M_READ_COMMITTED) || defined(M_CHECK_THEN_CLAIM)
    :: true
#endif
    :: state[t] == LIVE || USED_BEFORE_START(t)
    :: else -> holder[t] = 0; noRow(); goto retrying
    fi;
#ifndef M_STALE_PROOF
    isProved = proved[t];
#endif
    started()
  }
  if
  :: atomic {
      SETTLED;
#ifdef M_START_TIME
      liveOnes(); do :: r < records -> if :: (mask >> r) & 1 -> state[r] = ROTATED :: else fi; r++ :: else -> break od; r = 0;
#endif
      state[t] = ROTATED; holder[t] = 0; issue(); committed()
    }
  :: atomic { CRASH_OR_LOSS -> E_ROLLBACK; holder[t] = 0; printf("@undone %d\n", i); goto lost }
  fi;
  atomic { SETTLED; answers(GRANTED); goto answered };

retrying: /* src/auth/retries.ts, `retry` */
  between();
#ifdef M_GRACE
  atomic {
    if
    :: state[t] == ROTATED -> issue(); answers(GRANTED); goto answered
    :: else
    fi
  }
#endif
  if
  :: key[i] == 0 -> goto classifying
  :: else
  fi;
  atomic {
    SETTLED; SAY(RETRY); s = child[t];
    if
    :: state[t] == ROTATED && state[s] == LIVE && retryKey[s] != 0 && (retryKey[s] == key[i] || retryKey[s] == previous[i])
    :: else -> s = 0; noRow(); goto classifying
    fi;
    SPLIT
    lock(t);
    lock(s);
    if
    :: state[t] == ROTATED && state[s] == LIVE
    :: else -> holder[t] = 0; holder[s] = 0; s = 0; noRow(); goto classifying
    fi;
    started()
  }
  if
  :: atomic {
      SETTLED;
      holder[t] = 0; holder[s] = 0; given[i] = s; E_RETRIED; effect(); committed();
      printf("@again %d %d %d\n", i, t, s);
      require(3, !isLogoutAnswered && !((loggedOut >> t) & 1));
      if
      :: retryKey[s] != key[i] -> E_BY_PREVIOUS
      :: else
      fi;
      s = 0
    }
  :: atomic { CRASH_OR_LOSS -> E_ROLLBACK; holder[t] = 0; holder[s] = 0; goto lost }
  fi;
  atomic { SETTLED; answers(RETRIED); goto answered };

classifying: /* src/auth/revocations.ts, `classifyUnrotated` */
  between();
look:
  atomic {
    SETTLED; SAY(CLASSIFY);
    assert(state[t] != LIVE); /* no record expires here, so one that could not be rotated is revoked */
    isTheft = (state[t] != LOGGED_OUT);
    liveOnes(); printf("@looks %d\n", i);
    SPLIT
    do
    :: r < records && ((mask >> r) & 1) ->
      lock(r);
      if
      :: state[r] == LIVE
      :: else -> holder[r] = 0; mask = mask & ~(1 << r)
      fi;
      r++
    :: r < records && !((mask >> r) & 1) -> r++
    :: r >= records -> r = 0; break
    od;
    if
    :: mask == 0 -> noRow(); goto surviving
    :: else -> started()
    fi
  }
  if
  :: atomic {
      SETTLED;
      do
      :: r < records ->
        if
        :: (mask >> r) & 1 -> state[r] = STOLEN; holder[r] = 0; printf("@revoked %d %d\n", i, r)
        :: else
        fi;
        r++
      :: else -> r = 0; mask = 0; break
      od;
      committed()
    }
  :: atomic {
      CRASH_OR_LOSS -> E_ROLLBACK;
      do
      :: r < records -> if :: (mask >> r) & 1 -> holder[r] = 0 :: else fi; r++
      :: else -> r = 0; mask = 0; break
      od;
      goto lost
    }
  fi;
surviving:
  between();
  atomic {
    SETTLED;
    NOTE(S_READ, CLASSIFY);
    liveOnes();
    if
#ifndef M_ONE_LOOK
    :: mask != 0 -> mask = 0; E_AGAIN; printf("@survivor %d\n", i); goto look
#endif
    :: else
    fi;
    mask = 0
  }
  atomic {
    SETTLED;
    E_THEFT; printf("@theft %d %d\n", i, t);
#if defined(RETRIES) && !defined(UNFAIR)
    require(4, !isTheft || hasThiefSent || hasLeft);
#endif
    isTheftAnswered = 1; liveOnes(); require(2, mask == 0); mask = 0;
    if
    :: who[i] == THIEF -> E_THIEF_REFUSED
    :: who[i] == OWNER && hasThiefGot -> E_FOUND
    :: else
    fi;
    answers(REFUSED); goto answered
  };

loggingOut: /* src/auth/revocations.ts, `revokeRecord` */
  atomic {
    SETTLED; SAY(REVOKE_RECORD);
    if
    :: state[t] == LIVE
    :: state[t] == ROTATED
    :: else -> noRow(); goto loggedOutNow
    fi;
    SPLIT
    lock(t);
    if
    :: state[t] == LIVE
    :: state[t] == ROTATED
    :: else -> holder[t] = 0; noRow(); goto loggedOutNow
    fi;
    if
    :: hasWaited && state[t] == ROTATED -> E_LOGOUT_WAITED
    :: else
    fi;
    started()
  }
  if
  :: atomic {
      SETTLED;
      if
      :: state[t] == LIVE -> state[t] = LOGGED_OUT; E_LOGOUT
      :: state[t] == ROTATED ->
        E_RETRIES_ENDED;
#ifndef M_LOGOUT_LEAVES_RETRIES
        state[t] = RETRYLESS
#endif
      fi;
      printf("@left %d %d %d\n", i, t, state[t]);
      holder[t] = 0; committed()
    }
  :: atomic { CRASH_OR_LOSS -> E_ROLLBACK; holder[t] = 0; goto lost }
  fi;
loggedOutNow:
  between();
  atomic {
    SETTLED;
    loggedOut = loggedOut | (1 << t);
    liveOnes(); require(3, state[t] != LOGGED_OUT || mask == 0); mask = 0;
    isLogoutAnswered = isLogoutAnswered || (state[t] == LOGGED_OUT);
    answers(DONE); goto answered
  };

proving: /* src/auth/factors/sessions.ts, `proveSession`, in a transaction */
  atomic {
    SETTLED; SAY(PROVE); liveOnes(); SPLIT
    do
    :: r < records && ((mask >> r) & 1) ->
      lock(r);
      if
      :: state[r] == LIVE
      :: else -> holder[r] = 0; mask = mask & ~(1 << r)
      fi;
      r++
    :: r < records && !((mask >> r) & 1) -> r++
    :: r >= records -> r = 0; break
    od;
    if
    :: mask == 0 -> noRow()
    :: else -> started()
    fi
  }
  if
  :: mask == 0 ->
    between();
    atomic {
      SETTLED;
      NOTE(S_READ, PROVE);
      liveOnes();
      if
      :: mask != 0 -> mask = 0; E_PROOF_AGAIN; goto proving
      :: else -> answers(GONE); goto answered
      fi
    }
  :: else
  fi;
  if
  :: atomic {
      SETTLED;
      do
      :: r < records ->
        if
        :: (mask >> r) & 1 -> proved[r] = 1; holder[r] = 0; given[i] = r; printf("@proved %d %d\n", i, r)
        :: else
        fi;
        r++
      :: else -> r = 0; mask = 0; break
      od;
      E_PROVED; committed()
    }
  :: atomic {
      CRASH_OR_LOSS -> E_ROLLBACK;
      do
      :: r < records -> if :: (mask >> r) & 1 -> holder[r] = 0 :: else fi; r++
      :: else -> r = 0; mask = 0; break
      od;
      goto lost
    }
  fi;
  between();
  atomic { SETTLED; isProofAnswered = 1; answers(DONE) };

answered:
#ifdef TRACE
  atomic { t = 0; s = 0; r = 0; isTheft = 0 };
  goto end;
#else
  if
  :: atomic { SETTLED; arrive(); free() }
  :: atomic { SETTLED; E_LOST; goto lost }
  fi;
  goto end;
#endif
lost:
  atomic {
    if
    :: who[i] == OWNER && turn == i + 1 -> turn = 0; printf("@lost %d\n", i)
    :: else
    fi;
    free()
  };
  goto end
}

inline send(by, what, record, itsKey, itsPrevious) {
  i = 0;
  do
  :: kind[i] != FREE -> i++
  :: else -> break
  od;
  kind[i] = what; who[i] = by; token[i] = record; key[i] = itsKey; previous[i] = itsPrevious;
  NOTE(S_SEND, what * 10 + by); NOTE_VALUE(record); NOTE_VALUE(itsKey); NOTE_VALUE(itsPrevious);
  printf("@sent %d %d %d %d %d %d\n", i, by, what, record, itsKey, itsPrevious)
}

/* A client: it sends one refresh at a time, and stores its key first. Without RETRIES it has no keys, and all tabs ask at once. */
#ifdef RETRIES
#define MAY_ASK (turn == 0)
#ifdef REPLAY
#define AWAITS if :: turn = i + 1 :: skip fi; /* skip: it gives up at once */
#else
#define AWAITS turn = i + 1;
#endif
#define KEYS newest, before
#else
#define MAY_ASK true
#define AWAITS
#define KEYS 0, 0
#endif

proctype Owner() {
  byte refreshes, logouts, proofs, i;

end:
  do
  :: atomic {
      refreshes < REFRESHES && jar != 0 && !hasLeft && MAY_ASK && HAS_ROOM && SETTLED ->
      refreshes++;
#ifdef M_NEW_KEY
      newest++;
#endif
      send(OWNER, REFRESH, jar - 1, KEYS); sent = sent | (1 << (jar - 1)); AWAITS i = 0
    }
#ifdef RETRIES
  :: atomic { turn != 0 && CRASH_OR_LOSS -> E_GIVEN_UP; printf("@impatient\n"); turn = 0 }
#endif
  :: atomic {
      logouts < LOGOUTS && jar != 0 && MAY_ASK && HAS_ROOM && SETTLED ->
      logouts++; hasLeft = 1; send(OWNER, LOGOUT, jar - 1, 0, 0); AWAITS i = 0
    }
  :: atomic {
      proofs < PROOFS && HAS_ROOM && SETTLED ->
      proofs++; send(OWNER, PROOF, 0, 0, 0); i = 0
    }
  od
}

proctype Thief() {
  byte copies, uses, i;

end:
  do
  :: atomic {
      copies < COPIES && jar != 0 && SETTLED -> copies++; copy = jar; printf("@copies %d\n", jar - 1);
#ifdef WITH_KEY
      copiedKey = newest; copiedBefore = before
#endif
    }
  :: atomic {
      uses < USES && copy != 0 && HAS_ROOM && SETTLED -> uses++; hasThiefSent = 1;
#ifdef WITH_KEY
      send(THIEF, REFRESH, copy - 1, copiedKey, copiedBefore);
#elif defined(RETRIES)
      if
      :: send(THIEF, REFRESH, copy - 1, THIEFS_KEY, 0)
      :: send(THIEF, REFRESH, copy - 1, 0, 0)
      fi;
#else
      send(THIEF, REFRESH, copy - 1, 0, 0);
#endif
      sent = sent | (1 << (copy - 1)); i = 0
    }
  od
}

#ifdef TRACE
/*
 * What was seen of the program, in order: 1 a request was sent (slot, kind, token, key, previous key), 2 it was answered (slot,
 * answer, record), 3 the table was read (number of records, their states), 0 the end. If the end is reached by any order of
 * steps, the model can do what the program has done.
 */
c_decl {
  static int seen[100000];
  static unsigned char seenBytes[100000];
  static void readTrace(void) {
    FILE *file = fopen(getenv("TRACE"), "r");
    for (int n = 0; file && n < 99999 && fscanf(file, "%d", &seen[n]) == 1; n++) seenBytes[n] = seen[n];
  }
}
int at;
bit isSame;

proctype Witness() {
  c_code { readTrace(); }
end:
  do
  :: atomic {
      c_expr { seen[now.at] == 1 && now.kind[seen[now.at + 1]] == 0 };
      c_code {
        int *e = seen + now.at;
        now.kind[e[1]] = e[2]; now.token[e[1]] = e[3]; now.key[e[1]] = e[4]; now.previous[e[1]] = e[5];
        now.at += 6;
      }
    }
  :: atomic {
      c_expr {
        seen[now.at] == 2 && now.answer[seen[now.at + 1]] == seen[now.at + 2] &&
        (seen[now.at + 3] < 0 || now.given[seen[now.at + 1]] == seen[now.at + 3])
      };
      c_code {
        int i = seen[now.at + 1];
        now.kind[i] = now.token[i] = now.key[i] = now.previous[i] = now.answer[i] = now.given[i] = 0;
        now.at += 4;
      }
    }
  :: atomic {
      c_expr { seen[now.at] == 3 }; /* when nothing is under way */
      c_code {
        now.isSame = seen[now.at + 1] == now.records &&
          memcmp((void *) now.state, seenBytes + now.at + 2, now.records) == 0;
        now.at += 2 + seen[now.at + 1];
      };
      isSame
    }
  :: atomic {
      c_expr { seen[now.at] == 0 };
      c_code { printf("accepted\n"); exit(0); }
    }
  od
}
#endif

#ifdef REPLAY
/* Prints a behaviour that has ended: what can be done has been done. */
proctype Scribe() {
  timeout;
  c_code {
    printf("behaviour");
    for (int at = 0; at < now.steps; at++) printf(" %d", now.story[at]);
    printf("\n");
  }
}
#endif

init {
  atomic {
    byte n;
    state[0] = LIVE;
    for (n : 0 .. SLOTS - 1) { run Instance(n) }
    n = 0;
#ifdef TRACE
    run Witness()
#else
    run Owner();
#if USES
    run Thief();
#endif
#ifdef REPLAY
    run Scribe()
#endif
#endif
  }
}
