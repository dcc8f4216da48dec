import { isThreadOnly, preview } from '../../maru/index.js';
import { h, icon, keyed, View } from '../dom.js';
import { explain, t } from '../i18n.js';
import { mentionFinder } from '../markup.js';
import { nicknameOf } from '../names.js';
import { attempt } from '../parts/toast.js';
import { app } from '../state.js';
import { savedMessages } from './message-actions.js';
import { rowsOf } from './timeline-rows.js';

const NEAR = 600;

/** Whether the user looks at the page. */
const isLookedAt = () => !document.hidden && document.hasFocus();

/** The messages of a room (`room`), or of a thread in it (`thread`, the seq of its root). */
class TimelineView extends View {
    #list = h('ol', { class: 'message-list' });
    #top = h('div');
    #bottom = h('div');
    #scroller = h('div', { class: 'scroller', tabindex: '-1' }, this.#top, this.#list, this.#bottom);
    #said = h('div', { class: 'visually-hidden', 'aria-live': 'polite' });
    #toEnd = h('button', { type: 'button', class: 'to-end', hidden: true, onclick: () => this.#goToEnd() });
    #jump = h('div', { class: 'jump-bar', hidden: true });
    #stuck = true;
    #loading = null;
    #failure = null;
    /** The last loading, which is tried again after a failure, and whether it is of newer messages. */
    #work = null;
    #isBelow = false;
    #unreadAfter = null;
    #unread = 0;
    #hasSeenLine = false;
    /** True if the line stands before messages that came, or were unread, while the user was elsewhere. */
    #isNoted = false;
    #below = 0;
    #target = null;
    #shownTarget = false;
    #mention = Object.assign(() => null, { version: 0 });
    /** True if people have become known since the last rendering. */
    #hasNewNames = true;

    get place() {
        return this.thread === undefined ? this.room : `${this.room}/${this.thread}`;
    }

    setup() {
        const room = app.store.rooms.get(this.room);
        this.#list.setAttribute('aria-label', t('room.messages', { name: room.name }));
        if (this.thread === undefined && room.unreadCount) [this.#unreadAfter, this.#unread] = [room.lastReadSeq, room.unreadCount];
        this.replaceChildren(this.#scroller, this.#toEnd, this.#jump, this.#said);
        this.listen(app.store, 'timeline', (key) => key === this.place && this.invalidate());
        // Another device may have read the room.
        this.listen(app.store, 'room', (key) => key === this.room && this.#isNoted && this.invalidate());
        this.listen(app.client.outbox, 'changed', (key) => key === this.room && this.#outboxChanged());
        this.listen(app.client, 'connection', (state) => (this.#failure && state !== 'offline' ? this.#loadAgain() : this.invalidate()));
        // A list of members makes thousands of people known at once.
        this.listen(app.store, 'users', () => ((this.#hasNewNames = true), this.invalidate()));
        this.listen(app.store, 'message', (event) => event.room === this.room && this.#arrived(event.message));
        this.listen(savedMessages, 'changed');
        this.listen(app.store, 'readers', (key) => key === this.room && this.invalidate());
        this.listen(app, 'route', (route) => route.room === this.room && route.seq && this.thread === undefined && this.#jumpTo(route.seq));
        this.#scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
        this.#list.addEventListener('keydown', (event) => this.#key(event));
        const grown = new ResizeObserver(() => this.#stuck && this.#toBottom());
        grown.observe(this.#list);
        grown.observe(this.#scroller);
        // Another day may have begun since: "Today" is yesterday then.
        const seen = () => (this.#markRead(), this.invalidate());
        addEventListener('focus', seen);
        this.onEnd(() => {
            grown.disconnect();
            removeEventListener('focus', seen);
            app.client.timelines.close(this.room, this.thread);
        });
        this.known = new Set(app.client.outbox.of(this.room, this.thread).map(({ id }) => id));
        this.#load(() => this.#open());
        if (this.thread === undefined) app.client.timelines.loadReaders(this.room).catch(() => {});
    }

    #open() {
        if (this.thread !== undefined) return app.client.timelines.openThread(this.room, this.thread);
        return app.route.seq ? this.#goTo(app.route.seq) : app.client.timelines.open(this.room);
    }

    /**
     * Loads one thing at a time. With `instead`, as for a click, it takes the place of a page that scrolling has asked for. A failure is
     * shown above the messages, or `below` them.
     */
    async #load(work, { instead = false, below = false } = {}) {
        if (this.#loading && !instead) return;
        this.#loading = work;
        this.#failure = null;
        this.#work = work;
        this.#isBelow = below;
        this.#renderTop();
        let failure = null;
        try {
            await work();
        } catch (error) {
            failure = error;
        }
        if (this.#loading !== work) return;
        this.#failure = failure;
        this.#loading = null;
        this.invalidate();
    }

    #loadAgain = () => this.#load(this.#work, { below: this.#isBelow });

    #learnNames() {
        const find = mentionFinder(app.store.users.values(), app.store.me);
        this.#mention = Object.assign(find, { version: this.#mention.version + 1 });
        this.#hasNewNames = false;
    }

    /** Messages that come while the user is elsewhere begin below a line, as those do that have come before the visit. */
    #noteUnread() {
        const room = app.store.rooms.get(this.room);
        if (isLookedAt()) this.#isNoted = false;
        if (this.thread !== undefined || !room || isLookedAt()) return;
        if (room.unreadCount) {
            if (this.#unreadAfter !== room.lastReadSeq) this.#hasSeenLine = false;
            [this.#unreadAfter, this.#unread, this.#isNoted] = [room.lastReadSeq, room.unreadCount, true];
        } else if (this.#isNoted) {
            // They were read on another device.
            [this.#unreadAfter, this.#isNoted] = [null, false];
        }
    }

    render() {
        if (this.#hasNewNames) this.#learnNames();
        this.#noteUnread();
        const timeline = app.store.timeline(this.place);
        const anchor = this.#stuck ? null : this.#anchor();
        const rows = timeline.loaded ? rowsOf({ room: this.room, thread: this.thread, timeline, unreadAfter: this.#unreadAfter, target: this.#target, mention: this.#mention, saved: savedMessages.seqs }) : [];
        keyed(this.#list, rows);
        this.#rove();
        this.#renderTop();
        const row = anchor && this.#list.querySelector(`[data-seq="${anchor.seq}"]`);
        if (row) this.#scroller.scrollTop += row.getBoundingClientRect().top - anchor.top;
        else if (this.#stuck) this.#toBottom();
        if (this.#target && !this.#shownTarget) this.#showTarget();
        this.#renderEnds(timeline);
        this.#markRead();
        if (timeline.loaded && !timeline.atStart && this.#scroller.scrollHeight <= this.#scroller.clientHeight + 40) this.#scrolled();
    }

    /** Tab reaches the newest message; arrow keys continue from there. */
    #rove() {
        let row = this.#list.lastElementChild;
        while (row && !row.classList.contains('message')) row = row.previousElementSibling;
        if (row === this.reachable || !row) return;
        this.reachable?.setAttribute('tabindex', '-1');
        row.setAttribute('tabindex', '0');
        this.reachable = row;
    }

    #renderTop() {
        const timeline = app.store.timeline(this.place);
        const room = app.store.rooms.get(this.room);
        const isFailed = this.#failure && !this.#isBelow;
        const state = isFailed ? 'failed' : this.#loading && !timeline.atStart ? 'loading' : timeline.loaded && timeline.atStart && this.thread === undefined ? 'begin' : '';
        this.#fill(this.#bottom, this.#failure && this.#isBelow ? 'failed' : '');
        this.#fill(this.#top, state, room);
    }

    #fill(part, state, room) {
        if ((part.dataset.state ?? '') === state) return;
        part.dataset.state = state;
        const content = {
            failed: () => h('div', { class: 'empty' }, icon('warn', 28), h('p', null, t('room.loadFailed'), ' ', explain(this.#failure)),
                h('button', { type: 'button', class: 'button', onclick: this.#loadAgain }, t('room.retry'))),
            loading: () => h('div', { class: 'loading' }, h('div', { class: 'spinner', role: 'status', 'aria-label': t('room.loading') })),
            begin: () => h('div', { class: 'begin' }, h('h2', null, t('empty.timeline.title', { name: room?.name })), h('p', null, t('empty.timeline.text'))),
        }[state];
        part.replaceChildren(...(content ? [content()] : []));
    }

    #renderEnds(timeline) {
        const isAway = timeline.loaded && (!this.#stuck || !timeline.atEnd);
        this.#toEnd.hidden = !isAway;
        if (isAway) this.#toEnd.replaceChildren(icon('down', 16), this.#below ? t('room.newBelow', { count: this.#below }) : t('room.newest'));
        const isAbove = this.#isLineAbove(timeline);
        this.#jump.hidden = !isAbove;
        if (isAbove && this.#jump.count !== this.#unread) {
            this.#jump.count = this.#unread;
            this.#jump.replaceChildren(t('room.unreadAbove', { count: this.#unread }), h('button', { type: 'button', onclick: () => this.#jumpTo(this.#unreadAfter + 1) }, t('room.jump')));
        }
    }

    /** Whether the line before the new messages is above the screen, and has not been on it. */
    #isLineAbove(timeline) {
        if (this.#unreadAfter === null || this.#hasSeenLine || !timeline.loaded) return false;
        const line = this.#list.querySelector('.unread-line')?.getBoundingClientRect();
        if (!line) return timeline.oldest > this.#unreadAfter + 1 && !timeline.atStart;
        const screen = this.#scroller.getBoundingClientRect();
        const isAbove = line.bottom < screen.top;
        this.#hasSeenLine = !isAbove && line.top < screen.bottom && isLookedAt();
        return isAbove;
    }

    // Scrolling

    /** The first row on the screen and its place, to keep it there when rows are added above. */
    #anchor() {
        const top = this.#scroller.getBoundingClientRect().top;
        let low = 0, high = this.#list.children.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.#list.children[middle].getBoundingClientRect().bottom <= top) low = middle + 1;
            else high = middle;
        }
        let element = this.#list.children[low];
        // Lines between messages may move when messages are added.
        while (element && !element.dataset.seq) element = element.nextElementSibling;
        return element && { seq: element.dataset.seq, top: element.getBoundingClientRect().top };
    }

    get #isAtBottom() {
        const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
        return app.store.timeline(this.place).atEnd && scrollHeight - scrollTop - clientHeight < 40;
    }

    #scrolled() {
        const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
        const timeline = app.store.timeline(this.place);
        const wasStuck = this.#stuck;
        this.#stuck = this.#isAtBottom;
        if (this.#stuck) this.#below = 0;
        const hasUnseenLine = this.#unreadAfter !== null && !this.#hasSeenLine;
        if (this.#stuck !== wasStuck || hasUnseenLine) this.#renderEnds(timeline);
        if (this.#stuck !== wasStuck) this.#markRead();
        if (!timeline.loaded || this.#loading || this.#failure || this.thread !== undefined) return;
        if (scrollTop < NEAR && !timeline.atStart) this.#load(() => app.client.timelines.loadBefore(this.room));
        else if (scrollHeight - scrollTop - clientHeight < NEAR && !timeline.atEnd) this.#load(() => app.client.timelines.loadAfter(this.room), { below: true });
    }

    #toBottom = () => (this.#scroller.scrollTop = this.#scroller.scrollHeight);

    async #goToEnd() {
        this.#target = null;
        this.#below = 0;
        const open = async () => {
            await app.client.timelines.openAtEnd(this.room);
            // It may have been tried again after a failure.
            if (this.#target === null) this.#stuck = true;
        };
        if (!app.store.timeline(this.place).atEnd) await this.#load(open, { instead: true, below: true });
        // A jump since then stays where it is.
        if (this.#target !== null) return;
        // A failure is shown at the end.
        this.#renderTop();
        this.#stuck = true;
        this.#toBottom();
        this.invalidate();
    }

    /** A jump by the user, which shows its failure: the messages on the screen stay. */
    #jumpTo(seq) {
        // Another try of an earlier page, as once there is a network again, would take the place of the jump.
        if (app.store.timeline(this.place).loaded) [this.#loading, this.#failure] = [null, null];
        this.#renderTop();
        return attempt(async () => {
            try {
                await this.#goTo(seq);
            } catch (error) {
                if (this.#target === seq) [this.#target, this.#stuck] = [null, this.#isAtBottom];
                throw error;
            }
        });
    }

    async #goTo(seq) {
        this.#target = seq;
        this.#shownTarget = false;
        this.#stuck = false;
        await app.client.timelines.openAt(this.room, seq);
        const { newest, atEnd } = app.store.timeline(this.room);
        // The last message stands for a reply after it: one that comes later would take the focus from the composer.
        if (this.#target === seq && atEnd && newest < seq) this.#target = newest;
        this.invalidate();
    }

    #showTarget() {
        const element = this.#targetRow();
        if (!element) return;
        this.#shownTarget = true;
        this.#stuck = false;
        element.scrollIntoView({ block: 'center' });
        element.focus({ preventScroll: true });
    }

    /** The row of the target; the one after it if the target stands in its thread only. */
    #targetRow() {
        const { oldest, newest, atStart, atEnd } = app.store.timeline(this.place);
        const isHeld = (atStart || oldest <= this.#target) && (atEnd || newest >= this.#target);
        return isHeld ? [...this.#list.querySelectorAll('[data-seq]')].find((row) => Number(row.dataset.seq) >= this.#target) : null;
    }

    // Events

    #outboxChanged() {
        const entries = app.client.outbox.of(this.room, this.thread);
        if (entries.some((each) => !this.known?.has(each.id))) {
            this.#stuck = app.store.timeline(this.place).atEnd;
            if (!this.#stuck && this.thread === undefined) this.#goToEnd();
        }
        this.known = new Set(entries.map((each) => each.id));
        for (const entry of entries) {
            const bar = this.#list.querySelector(`[data-entry="${entry.id}"] progress`);
            if (bar) bar.value = entry.progress ?? 0;
        }
        this.invalidate();
    }

    #arrived(message) {
        if (this.thread === undefined ? isThreadOnly(message) : message.thread?.root !== this.thread) return;
        this.#below += this.#stuck ? 0 : 1;
        // The room says a reply that is also in it.
        const isInRoom = this.thread !== undefined && !isThreadOnly(message) && app.route.room === this.room;
        if (!isInRoom) this.#said.textContent = t('notice.newFrom', { name: message.user.nickname, text: preview(message, nicknameOf).slice(0, 200) || t('notice.file') });
        this.#renderEnds(app.store.timeline(this.place));
    }

    #markRead() {
        const timeline = app.store.timelines.get(this.place);
        if (!this.#stuck || !timeline?.loaded || !timeline.atEnd || !isLookedAt()) return;
        if (this.thread !== undefined) {
            const { newest } = timeline;
            if (newest <= (this.readThread ?? 0)) return;
            this.readThread = newest;
            // The next look at the thread tries again.
            app.client.routes.readThread(app.store.rooms.get(this.room), this.thread, newest).catch(() => (this.readThread = 0));
            return;
        }
        const room = app.store.rooms.get(this.room);
        if (room) app.client.read(this.room, Math.max(timeline.newest, room.lastSeq)).catch(() => {});
    }

    /** Arrow keys move from message to message. */
    #key(event) {
        const row = document.activeElement;
        if (!row.classList.contains('message')) return;
        if (event.key === 'Escape') {
            // The next press closes an open panel.
            event.preventDefault();
            return this.closest('maru-room, maru-thread')?.querySelector('textarea')?.focus();
        }
        const next = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!next) return;
        event.preventDefault();
        const rows = [...this.#list.querySelectorAll('.message')];
        rows[rows.indexOf(row) + next]?.focus();
    }
}

customElements.define('maru-timeline', TimelineView);
