// The part of the engine that is trusted: it runs before any other code, takes what it
// needs out of reach, and stands between code and host. Only checks in Go count; this
// file is convenience. Its value is the table of functions that the host calls.
(function (host) {
	"use strict";
	const G = globalThis;
	const { parse, stringify } = JSON;
	const { create, defineProperty, freeze } = Object;
	const { get: reflectGet } = Reflect;
	const ErrorOf = Error, StringOf = String, ProxyOf = Proxy, MathOf = Math;
	const imul = MathOf.imul;

	delete G.performance;
	delete G.__host;

	const fixed = (object, name, value) => defineProperty(object, name, { value, writable: false, enumerable: true, configurable: false });
	const hidden = (object, name, value) => defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

	class ToolError extends ErrorOf {
		constructor(tool, code, message) {
			super(message);
			hidden(this, "name", "ToolError");
			fixed(this, "tool", tool);
			fixed(this, "code", code);
		}
	}
	hidden(G, "ToolError", ToolError);

	// A value as a person reads it on a console.
	const show = (v) => {
		if (typeof v === "string") return v;
		try {
			if (v instanceof ErrorOf) return `${v.name}: ${v.message}`;
			if (typeof v === "object" && v !== null) return stringify(v) ?? StringOf(v);
			return StringOf(v);
		} catch {
			return "(a value that cannot be shown)";
		}
	};
	const consoleOf = create(null);
	for (const level of ["log", "info", "warn", "error", "debug"]) {
		fixed(consoleOf, level, (...values) => {
			let text = "";
			for (let i = 0; i < values.length; i++) text += (i > 0 ? " " : "") + show(values[i]);
			host("print", level, text);
		});
	}
	hidden(G, "console", freeze(consoleOf));

	// sfc32 over a seed that the host gives each run.
	let a = 0, b = 0, c = 0, d = 0;
	hidden(MathOf, "random", () => {
		const t = (((a + b) | 0) + d) | 0;
		d = (d + 1) | 0;
		a = b ^ (b >>> 9);
		b = (c + (c << 3)) | 0;
		c = (((c << 21) | (c >>> 11)) + t) | 0;
		return (t >>> 0) / 4294967296;
	});
	const seed = (words) => {
		a = words[0]; b = words[1]; c = words[2]; d = words[3];
		for (let i = 0; i < 12; i++) MathOf.random();
	};

	// What the host throws is the text of an error.
	const toolError = (name, e, place) => {
		if (typeof e !== "string") return e;
		const t = parse(e);
		const thrown = new ToolError(name, t.code ?? "", t.message);
		hidden(thrown, "stack", place.stack);
		return thrown;
	};
	const call = async (name, args) => {
		const place = new ErrorOf();
		const text = stringify(args === undefined ? create(null) : args);
		if (text === undefined) throw new ToolError(name, "INVALID_ARGUMENTS", `The arguments of ${name} are no JSON value.`);
		let answer;
		try {
			answer = await host("call", name, text);
		} catch (e) {
			throw toolError(name, e, place);
		}
		return answer === undefined ? undefined : parse(answer);
	};

	const setTools = (names) => {
		const known = create(null);
		for (let i = 0; i < names.length; i++) {
			const name = names[i];
			fixed(known, name, (args) => call(name, args));
		}
		// A name that is not in the list goes to the host, which says what there is; but
		// for those that the language itself looks for.
		const tools = new ProxyOf(freeze(known), {
			get: (target, name) => {
				const own = reflectGet(target, name);
				if (own !== undefined || typeof name !== "string" || name === "then" || name === "toJSON" || name === "constructor") return own;
				return (args) => call(name, args);
			},
		});
		defineProperty(G, "tools", { value: tools, writable: false, enumerable: false, configurable: false });
	};

	const callbacks = create(null);
	let registered = 0;
	const kit = create(null);
	fixed(kit, "call", call);
	fixed(kit, "parse", parse);
	fixed(kit, "stringify", stringify);
	fixed(kit, "global", G);
	fixed(kit, "hidden", hidden);
	fixed(kit, "freeze", freeze);
	fixed(kit, "create", create);
	fixed(kit, "direct", (name, args) => {
		const place = new ErrorOf();
		let text;
		try {
			text = host("direct", name, stringify(args === undefined ? null : args));
		} catch (e) {
			throw toolError(name, e, place);
		}
		return text === undefined ? undefined : parse(text);
	});
	// A function that the host can call later, by the number it gets here.
	fixed(kit, "callback", (f) => {
		callbacks[++registered] = f;
		return registered;
	});
	freeze(kit);

	const explain = (e) => {
		const t = create(null), out = create(null);
		t.message = "";
		try {
			if (e instanceof ErrorOf) {
				t.name = `${e.name}`;
				t.message = `${e.message}`;
				t.stack = `${e.stack}`;
				if (e instanceof ToolError) {
					t.tool = `${e.tool}`;
					t.code = `${e.code}`;
				}
			} else {
				t.message = show(e);
			}
		} catch {
			t.message = "it threw a value that cannot be shown";
		}
		out.error = t;
		return stringify(out);
	};
	const finish = async (v) => {
		try {
			const text = stringify(await v);
			return text === undefined ? "{}" : `{"value":${text}}`;
		} catch (e) {
			return explain(e);
		}
	};

	const table = create(null);
	table.setup = (text) => {
		const t = parse(text);
		seed(t.seed);
		setTools(t.tools);
	};
	table.reseed = (text) => seed(parse(text));
	table.install = (prelude) => prelude(kit);
	table.finish = finish;
	table.invoke = (id, text) => finish((async () => callbacks[id](parse(text)))());
	return table;
})
