/** A value that can be written as JSON. Nothing else passes between a package and the rest. */
type Data = null | boolean | number | string | Data[] | { [key: string]: Data }

/** What a package is made of. All of it is registered while the package starts, at the top level of its code. */
declare const fairlead: {
	/** A tool for the model. A text that run returns is the result; other data is given as JSON; an error is a failed call. */
	tool(t: { name: string; description: string; parameters?: { [key: string]: Data } /* JSON Schema of an object */ }, run: (args: any) => unknown): void
	/** A part of the system prompt. */
	section(text: string): void
	/** Functions for other packages of this session; one value in, one out. */
	service(name: string, methods: { [method: string]: (value: any) => unknown }): void
	/** The service of another package, as it is now. */
	use(name: string): { [method: string]: (value?: Data) => Promise<any> }
	/** Hears of the session's events, one after another; the kind may hold * ("tool/*"). */
	on(kind: string, listener: (event: { seq: number; type: string; turn: number; step: number; data: any }) => unknown): void
	/** Is asked before every call of a tool. A text that it returns is the reason why the call is denied; it cannot allow anything. */
	guard(check: (call: { tool: string; args: any; caller: string; folder: string }) => string | void | Promise<string | void>): void
	/** A command for the person, as /name. What run returns is shown to them. */
	command(c: { name: string; summary: string }, run: (text: string) => unknown): void
	/** A panel of the page: HTML that is drawn in a frame without any rights. */
	panel(p: { name: string; title: string; html: string }): void
}

/** The tools of the session, through the gate. They can be called only while a tool of this package is being called. */
declare const tools: { [name: string]: (args: object) => Promise<string> }

/** Tools that fail, are refused or are denied throw this. */
declare class ToolError extends Error { tool: string; code: string }
