package scripted

import (
	"regexp"
	"time"
)

// Script is a model's part in a conversation. Its text has one statement a line;
// "#" starts a comment. Text that belongs to a statement stands behind it on the
// line, or below it in lines that begin with "|" and one space:
//
//	model demo                    the id; default "scripted"
//	window 8192                   tokens of the window; without it there is no limit
//	chars-per-token 4             the density of counting; default 4
//	counting off                  usage is not told and tokens are not counted
//	pace 15ms                     pause between two pieces of text
//	piece 12                      characters of a piece; default 16
//
//	title Mend the tests          the answer to a request for a title; inside a part,
//	                              for conversations that the part matches
//
//	on /tests? fail/              a part for messages that match; case does not count
//	otherwise                     the part for all other messages
//
//	reply                         one answer to one request
//	reply if /denied/             the same place's answer where the last result matches
//	reply if failed               … or failed
//	  wait 300ms                  pause
//	  think I should look first.
//	  say
//	  | # Done
//	  |
//	  | All is well.
//	  call read {"path":"a.txt"}
//	  usage 1200 20 800           tokens in, out, cached; otherwise they are counted
//	  finish length               the finish word; otherwise what fits
//	  cut                         the connection ends here
//	  hang                        nothing more comes until the client gives up
//	  fail 429 after 2s slow down
//	                              instead of an answer: status, Retry-After, message
//	  raw data: {"choices":[]}    over HTTP, these bytes as they are, with a line end
//
// A script with "on" or "otherwise" finds its place in the history each time: it
// takes the last message of the user's side that a part matches, and as many
// replies into it as the model has given since. So any number of sessions can play
// it at once. A script without them is a list: each request takes the next reply,
// and the last one repeats.
//
// A request without tools whose system text begins with "Write a title" asks for a
// title. It takes no reply of a part or of the list; without a title it is refused.
type Script struct {
	Model         string
	Window        int
	CharsPerToken float64
	Counting      bool

	title     string
	parts     []part
	otherwise *part
	list      []place // a script without parts
}

type part struct {
	match  *regexp.Regexp
	places []place
	title  string
}

// place is one step of a part: its reply and those that conditions put in its stead.
type place []*reply

type reply struct {
	failed bool           // only where the last result failed
	result *regexp.Regexp // only where the last result matches
	pace   time.Duration
	piece  int
	acts   []act
}

type verb string

const (
	verbWait   verb = "wait"
	verbThink  verb = "think"
	verbSay    verb = "say"
	verbCall   verb = "call"
	verbUsage  verb = "usage"
	verbFinish verb = "finish"
	verbCut    verb = "cut"
	verbHang   verb = "hang"
	verbFail   verb = "fail"
	verbRaw    verb = "raw"
)

type act struct {
	verb   verb
	text   string // of think, say, raw; a call's arguments; a failure's message; a finish word
	name   string // of a call's tool
	wait   time.Duration
	status int
	usage  [3]int // in, out, cached
}
