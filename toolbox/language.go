package toolbox

import (
	"path/filepath"
	"strings"
)

// language gives the name by which highlighters know the language of a file; ""
// where its name tells nothing.
func language(path string) string {
	base := strings.ToLower(filepath.Base(path))
	switch base {
	case "makefile", "gnumakefile":
		return "makefile"
	case "dockerfile", "containerfile":
		return "dockerfile"
	case "go.mod", "go.sum", "go.work":
		return "go"
	case ".bashrc", ".profile", ".zshrc", ".bash_profile":
		return "bash"
	}
	switch strings.TrimPrefix(filepath.Ext(base), ".") {
	case "go":
		return "go"
	case "ts", "tsx", "mts", "cts":
		return "typescript"
	case "js", "jsx", "mjs", "cjs":
		return "javascript"
	case "py", "pyi":
		return "python"
	case "rs":
		return "rust"
	case "c", "h":
		return "c"
	case "cc", "cpp", "cxx", "hpp", "hh":
		return "cpp"
	case "java":
		return "java"
	case "kt", "kts":
		return "kotlin"
	case "swift":
		return "swift"
	case "cs":
		return "csharp"
	case "rb":
		return "ruby"
	case "php":
		return "php"
	case "sh", "bash", "zsh":
		return "bash"
	case "ps1":
		return "powershell"
	case "json", "jsonl", "ipynb":
		return "json"
	case "yaml", "yml":
		return "yaml"
	case "toml", "ini", "cfg":
		return "ini"
	case "md", "markdown":
		return "markdown"
	case "html", "htm", "xml", "svg", "vue":
		return "xml"
	case "css", "scss", "less":
		return "css"
	case "sql":
		return "sql"
	case "lua":
		return "lua"
	case "diff", "patch":
		return "diff"
	}
	return ""
}
