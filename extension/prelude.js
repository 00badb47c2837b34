// What a package finds in its global `fairlead`; see fairlead.d.ts. Everything is
// checked again by the host.
(kit) => {
	const { call, callback, create, direct, freeze, global, hidden } = kit;
	const { keys } = Object;
	const TypeErrorOf = TypeError;
	const numbered = (f, what) => {
		if (typeof f !== "function") throw new TypeErrorOf(`fairlead.${what} needs a function`);
		return callback(f);
	};
	const api = create(null);
	api.tool = (t, run) => direct("tool", { name: t.name, description: t.description, parameters: t.parameters, callback: numbered(run, "tool") });
	api.section = (text) => direct("section", { text });
	api.service = (name, methods) => {
		const numbers = create(null);
		for (const method of keys(methods)) numbers[method] = numbered(methods[method], "service");
		direct("service", { name, methods: numbers });
	};
	api.use = (name) => {
		const found = direct("methods", { name });
		const service = create(null);
		for (let i = 0; i < found.length; i++) {
			const method = found[i];
			service[method] = (value) => call(`service:${name}.${method}`, value === undefined ? null : value);
		}
		return freeze(service);
	};
	api.on = (kind, listener) => direct("listener", { kind, callback: numbered(listener, "on") });
	api.guard = (check) => direct("guard", { callback: numbered(check, "guard") });
	api.command = (c, run) => direct("command", { name: c.name, summary: c.summary, callback: numbered(run, "command") });
	api.panel = (p) => direct("panel", { name: p.name, title: p.title, html: p.html });
	hidden(global, "fairlead", freeze(api));
}
