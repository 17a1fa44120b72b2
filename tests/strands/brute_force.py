#!/usr/bin/env python3
"""Schedules simulated step by step: brute_force.py PROGRAM compares all that `misses --caches` counts."""
import json
import subprocess
import sys
import tempfile
from collections import OrderedDict, deque
from pathlib import Path

MASK = (1 << 64) - 1
PROMOTION, SHARING, WAKING, POLLING, MOST_FORKS, SEVERAL = 8000, 30000, 100000, 4000, 512, 16


class Strand:
    def __init__(self, second, next_):
        self.second, self.next, self.accesses = second, next_, []


def read_strands(path):
    """The strands, with an entry (line, store, first byte, last byte) for each access, and the bytes of a line."""
    strands, line_bytes, has_bytes = [], 0, False
    for text in Path(path).read_text().splitlines():
        words = text.split()
        if words[0] == "strands":
            line_bytes, has_bytes = int(words[3]), words[5] == "1"
        elif words[0] == "s":
            strands.append(Strand(*(None if word == "-" else int(word) for word in words[1:])))
        else:
            line, more = int(words[1]), [int(word) for word in words[2:]]
            strands[-1].accesses.append((line, words[0] == "w", *(more if has_bytes else (0, 0))))
            for store, count in enumerate([] if has_bytes else more):
                strands[-1].accesses += [(line, bool(store), 0, 0)] * count
    return strands, line_bytes


def random_up_to(seed, position, bound):
    z = (seed + (position + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) * (bound + 1)) >> 64


class Ideal:
    """P private LRU caches."""

    def __init__(self, processors, lines):
        self.lines, self.caches, self.misses = lines, [OrderedDict() for _ in range(processors)], 0

    def access(self, processor, access):
        cache, line = self.caches[processor], access[0]
        hit = line in cache
        if not hit:
            self.misses += 1
            if len(cache) == self.lines:
                cache.popitem(last=False)
        cache[line] = True
        cache.move_to_end(line)
        return hit


class Coherent:
    """P set-associative caches under MSI. The kind of each miss is found from the whole history of its line."""

    def __init__(self, processors, sets, ways):
        self.sets, self.ways, self.count = sets, ways, processors
        self.cached = [[OrderedDict() for _ in range(sets)] for _ in range(processors)]
        self.lost = [{} for _ in range(processors)]  # line: why it was lost, and the words written by others since
        self.counts = dict.fromkeys(("misses", "cold", "replacement", "true sharing", "false sharing", "upgrades"), 0)

    def access(self, processor, access):
        line, store, first, last = access
        words = set(range(first // 4, last // 4 + 1))
        mine = self.cached[processor][line % self.sets]
        hit = line in mine
        if not hit:
            self.counts["misses"] += 1
            why, written = self.lost[processor].get(line, ("cold", set()))
            if why == "invalidated":
                why = "true sharing" if words & written else "false sharing"
            self.counts[why] += 1
        elif store and mine[line] == "S":
            self.counts["upgrades"] += 1
        for other in range(self.count):
            if other == processor:
                continue
            theirs = self.cached[other][line % self.sets]
            if line in theirs and store:
                del theirs[line]
                self.lost[other][line] = ("invalidated", set())
            elif line in theirs and not hit:
                theirs[line] = "S"
            if store and line in self.lost[other]:
                self.lost[other][line][1].update(words)
        if not hit and len(mine) == self.ways:
            victim, _ = mine.popitem(last=False)
            self.lost[processor][victim] = ("replacement", set())
        if store or not hit:
            mine[line] = "M" if store else "S"
        mine.move_to_end(line)
        return hit


class Running:
    def __init__(self, strand, number, start):
        self.accesses, self.number = list(strand.accesses), number
        self.done, self.free = 0, start  # accesses made, and the step of the next one

    def step(self, now, processor, caches, miss_steps):
        """Makes the access of this step, or the fork or join that ends the strand."""
        if now < self.free:
            return
        hit = self.done == len(self.accesses) or caches.access(processor, self.accesses[self.done])
        self.done += 1
        self.free = now + 1 + (0 if hit else miss_steps)

    def ends(self, now):
        return self.done > len(self.accesses) and self.free == now


class Scheduler:
    """Step by step: strands that end, then idle processors, then an access of each."""

    def __init__(self, strands, processors, seed, caches, miss_steps):
        self.strands, self.processors, self.seed = strands, processors, seed
        self.caches, self.miss_steps = caches, miss_steps
        self.running = [None] * processors
        self.last, self.came = [None] * processors, set()
        self.counts = {"steps": 0, "steals": 0, "attempts": 0, "deviations": 0}
        self.pending = {}  # of a processor: the strand that it begins at the next step

    def begin(self, processor, number, now):
        self.counts["deviations"] += number > 0 and self.last[processor] != number - 1
        self.last[processor] = number
        self.running[processor] = Running(self.strands[number], number, now)

    def comes_last(self, join):
        last = join in self.came
        self.came.add(join)
        return last

    def idle(self):
        return [p for p in range(self.processors) if not self.running[p] and p not in self.pending]

    def run(self):
        self.first()
        now = 0
        while any(self.running) or self.pending:
            for processor, number in self.pending.items():
                self.begin(processor, number, now)
            self.pending = {}
            for processor, running in enumerate(self.running):
                if running and running.ends(now):
                    self.running[processor] = None
                    self.counts["steps"] = now
                    self.ended(processor, running.number, now)
            self.offer(now)
            for processor, running in enumerate(self.running):
                if running:
                    running.step(now, processor, self.caches, self.miss_steps)
            now += 1
        return self.counts

    def first(self):
        self.begin(0, 0, 0)


class WorkStealing(Scheduler):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.deques = [deque() for _ in range(self.processors)]

    def fork(self, processor, second, now):
        self.deques[processor].append(second)

    def own(self, processor, now):
        return self.deques[processor].pop() if self.deques[processor] else None

    def stolen(self, thief, victim, now):
        return self.deques[victim].popleft() if self.deques[victim] else None

    def ended(self, processor, number, now):
        strand = self.strands[number]
        if strand.second is not None:
            self.fork(processor, strand.second, now)
            return self.begin(processor, number + 1, now)
        following = strand.next
        if following is not None and not self.comes_last(following):
            following = self.own(processor, now)
        return None if following is None else self.begin(processor, following, now)

    def offer(self, now):
        for thief in self.idle():
            if self.processors == 1 or not any(self.deques):
                return
            victim = random_up_to(self.seed, self.counts["attempts"], self.processors - 2)
            victim += victim >= thief
            self.counts["attempts"] += 1
            number = self.stolen(thief, victim, now)
            if number is not None:
                self.counts["steals"] += 1
                self.pending[thief] = number


class State:
    """common/fork/decide.hpp."""

    def __init__(self, polled, begun=0, ends=0, short_strands=SEVERAL):
        self.polled, self.begun, self.ends, self.short_strands = polled, begun, ends, short_strands
        self.forks = self.until_poll = 1

    def foretold(self, now):
        return max(0, self.ends - now)

    def work(self, now):
        return max(now - self.begun, self.foretold(now))

    def poll(self, now):
        since = max(1, self.forks - max(0, self.until_poll))
        long_strand = (now - self.polled) // since >= SHARING
        self.short_strands = 0 if long_strand else min(self.short_strands + 1, SEVERAL)
        if self.until_poll <= 0:
            wanted = self.forks * POLLING // max(1, now - self.polled)
            self.forks = max(1, min(wanted, 2 * self.forks, MOST_FORKS))
        self.until_poll, self.polled = self.forks, now

    def limit(self, seen, threads, idle, now):
        at_once = self.foretold(now) >= 2 * PROMOTION or self.short_strands < SEVERAL
        if self.work(now) < SHARING or (now - seen < PROMOTION and not at_once):
            return 0
        if self.work(now) < WAKING:
            return idle
        return threads - 1 if at_once else max(1, idle)


class Heartbeat(WorkStealing):
    EPOCH = 1 << 40

    def first(self):
        self.states = [State(0) for _ in range(self.processors)]
        self.states[0] = State(self.EPOCH, begun=self.EPOCH)
        self.latent = [[] for _ in range(self.processors)]  # [strand, when a poll found it], the oldest first
        super().first()

    def fork(self, processor, second, now):
        state, latent, now = self.states[processor], self.latent[processor], now + self.EPOCH
        latent.append([second, None])
        state.until_poll -= 1
        if self.processors == 1 or state.until_poll > 0:
            return
        state.poll(now)
        if state.work(now) < SHARING:
            return
        for fork in latent:
            fork[1] = now if fork[1] is None else fork[1]
        while latent:
            offered = sum(map(len, self.deques))
            # The processor that forks has work.
            idle = len([p for p in self.idle() if p != processor])
            if offered >= state.limit(latent[0][1], self.processors, idle, now):
                return
            half = state.foretold(now) // 2
            state.ends, state.begun = now + half, 0
            self.deques[processor].append((latent.pop(0)[0], half, state.short_strands))

    def take(self, task, processor, now):
        number, foretold, short_strands = task
        now += self.EPOCH
        self.states[processor] = State(now, ends=now + foretold, short_strands=short_strands)
        return number

    def own(self, processor, now):
        if self.latent[processor]:
            return self.latent[processor].pop()[0]
        return self.take(self.deques[processor].pop(), processor, now) if self.deques[processor] else None

    def stolen(self, thief, victim, now):
        return self.take(self.deques[victim].popleft(), thief, now + 1) if self.deques[victim] else None


class ParallelDepthFirst(Scheduler):
    def first(self):
        self.ready = {0}
        self.offer(0)

    def ended(self, processor, number, now):
        strand = self.strands[number]
        if strand.second is not None:
            self.ready |= {number + 1, strand.second}
        elif strand.next is not None and self.comes_last(strand.next):
            self.ready.add(strand.next)

    def mine(self, processor):
        return self.ready

    def offer(self, now):
        for processor in self.idle():
            if mine := self.mine(processor):
                number = min(mine)
                self.ready.remove(number)
                self.begin(processor, number, now)


class DepthFirst(ParallelDepthFirst):
    def first(self):
        total = sum(len(strand.accesses) + 1 for strand in self.strands)
        before, self.piece = 0, []
        for strand in self.strands:
            self.piece.append(before * self.processors // total)
            before += len(strand.accesses) + 1
        super().first()

    def mine(self, processor):
        return {number for number in self.ready if self.piece[number] == processor}


SCHEDULERS = {"work-stealing": WorkStealing, "heartbeat": Heartbeat, "depth-first": DepthFirst,
              "parallel-depth-first": ParallelDepthFirst}


def span_of(strands, number=0, end=None):
    """The longest path from a strand to before `end`, by recursion over the forks."""
    total = 0
    while number is not None and number != end:
        strand = strands[number]
        total += len(strand.accesses) + 1
        if strand.second is not None:
            total += max(span_of(strands, number + 1, strand.next), span_of(strands, strand.second, strand.next))
            number = strand.next
        else:
            number = strand.next if strand.next != end else None
    return total


def caches_of(coherent, processors, size):
    if coherent:
        return Coherent(processors, size["bytes"] // size["line"] // size["ways"], size["ways"])
    return Ideal(processors, size["bytes"] // size["line"])


shared = {}  # steals of all runs, by the scheduler


def check(program, folder, arguments, processors):
    strands_file, document_file = folder / "strands", folder / "document.json"
    command = [program, "misses", *arguments, "--caches", str(processors), "--scheduler", ",".join(SCHEDULERS),
               "--strands", str(strands_file), "--json", str(document_file), "--quiet"]
    subprocess.run(command, check=True)
    strands, _ = read_strands(strands_file)
    document = json.loads(document_file.read_text())
    part = document["plan"][0]["scheduled"]
    (record,) = document["measurements"]
    found = {(q["name"], q["at"].get("cache"), q["at"].get("scheduler")): q["value"]
             for q in record["quantities"] if "at" in q}
    compared = 0
    def same(what, value, size=None, scheduler=None):
        nonlocal compared
        compared += 1
        got = found[(what, size, scheduler)]
        if got != value:
            sys.exit(f"{' '.join(command)}: {what} {size} {scheduler}: {got}, and {value} step by step")

    same("strands", len(strands))
    same("accesses", sum(len(strand.accesses) for strand in strands))
    same("span", span_of(strands))
    for size in part["sizes"]:
        caches = caches_of(part["coherent"], 1, size)
        for strand in strands:
            for access in strand.accesses:
                caches.access(0, access)
        same("serial misses", caches.counts["misses"] if part["coherent"] else caches.misses, size["bytes"])
        for name, scheduler in SCHEDULERS.items():
            caches = caches_of(part["coherent"], processors, size)
            counts = scheduler(strands, processors, part["seed"], caches, part["miss_steps"]).run()
            for what, value in (counts | (caches.counts if part["coherent"] else {"misses": caches.misses})).items():
                same(what, value, size["bytes"], name)
            shared[name] = shared.get(name, 0) + counts["steals"]
    return compared


def main():
    product = ["matmul", "recursive", "--shape", "m=6", "--cache", "512", "--cache", "2K"]
    transposition = ["transpose", "recursive", "--shape", "m=24", "--line", "32", "--cache", "512"]
    sort = ["sort", "merge_sort", "--shape", "n=300", "--cache", "1K"]
    runs = [(product, 1), (product, 3), (transposition, 5), (sort, 4), ([*sort, "--seed", "7", "--miss-steps", "9"], 3),
            ([*product[:4], "--cache", "512:2", "--cache", "2K:4", "--coherence"], 3),
            ([*transposition[:4], "--cache", "1K:2", "--coherence"], 4), (["fib", "fib", "--shape", "n=12", "--param", "grain=0"], 7),
            # Long enough for a heartbeat.
            (["matmul", "recursive", "--shape", "m=26", "--cache", "4K"], 4)]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for arguments, processors in runs:
            compared += check(sys.argv[1], Path(folder), arguments, processors)
    if not (shared["heartbeat"] and shared["work-stealing"]):
        sys.exit("no run was long enough to be shared")
    print(f"{compared} figures agree")


if __name__ == "__main__":
    main()
