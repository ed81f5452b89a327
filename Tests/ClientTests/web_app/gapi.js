// Replaces https://apis.google.com/js/api.js, which tests cannot reach. With it, a page and its frame call each other's
// functions by name.
(() => {
    "use strict";
    const MARK = "gapi-for-tests";

    class Channel {
        #peer;
        #handlers = {};
        #waiting = [];
        #answers = {};
        #count = 0;
        #connected = Promise.withResolvers();

        constructor(peer) {
            this.#peer = peer;
            addEventListener("message", event => {
                if (event.source === peer() && event.data && event.data.mark === MARK) this.#receive(event.data);
            });
        }

        // A frame announces itself once its script runs.
        announce() { this.#post({ kind: "announcement" }); }

        restyle() { return Promise.resolve([true]); }

        async ping(answer) {
            await this.#connected.promise;
            answer();
            return [true];
        }

        // Also handles the calls that came before the handler was registered.
        register(name, handler) {
            this.#handlers[name] = handler;
            const calls = this.#waiting.filter(call => call.name === name);
            this.#waiting = this.#waiting.filter(call => call.name !== name);
            calls.forEach(call => this.#receive(call));
        }

        send(name, message, answer) {
            const id = `${name}-${++this.#count}`;
            if (answer) this.#answers[id] = answer;
            this.#post({ kind: "call", id, name, message });
        }

        #post(data) { this.#peer().postMessage({ mark: MARK, ...data }, "*"); }

        async #receive(data) {
            if (data.kind === "announcement") {
                this.#connected.resolve();
            } else if (data.kind === "answer") {
                this.#answers[data.id]?.([data.message]);
            } else if (this.#handlers[data.name]) {
                this.#post({ kind: "answer", id: data.id, message: await this.#handlers[data.name](data.message) });
            } else {
                this.#waiting.push(data);
            }
        }
    }

    let parentChannel;
    const context = {
        async open(options, opened) {
            const frame = document.createElement("iframe");
            Object.assign(frame.style, options.attributes?.style);
            frame.src = `${options.url}#id=frame&parent=${encodeURIComponent(location.origin)}`;
            const channel = new Channel(() => frame.contentWindow);
            options.where.append(frame);
            return opened(channel);
        },
        getParentIframe() {
            if (!parentChannel) {
                parentChannel = new Channel(() => parent);
                parentChannel.announce();
            }
            return parentChannel;
        },
    };
    window.gapi = {
        load(_, { callback }) { setTimeout(callback); },
        iframes: { Iframe: Channel, CROSS_ORIGIN_IFRAMES_FILTER: () => true, getContext: () => context },
    };
    const callback = new URL(document.currentScript.src).searchParams.get("onload") ?? "gapi_onload";
    window[callback]?.();
})();
