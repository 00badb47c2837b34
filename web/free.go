package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"fairlead/fault"
)

// free is the id of the search that needs no account.
const free = "free"

// engine is a search engine that is asked as a browser would.
type engine struct {
	name    string
	request func(ctx context.Context, query string) (*http.Request, error)
	// read takes the hits off an answer. ok is false where it is no page of results:
	// a challenge, a consent page, something new.
	read func(r *reply) (f *found, ok bool)
	pace *pace
}

// engines asks search engines in turn until one answers.
type engines struct {
	web  *Web
	list []*engine
}

func newEngines(w *Web) *engines {
	return &engines{web: w, list: []*engine{
		{name: "DuckDuckGo", request: duckRequest, read: readDuck, pace: newPace()},
		{name: "Bing", request: bingRequest, read: readBing, pace: newPace()},
	}}
}

// errPassed is an engine that gave no answer; the next one is asked.
var errPassed = errors.New("the engine gave no answer")

func (e *engines) search(ctx context.Context, query string) (*found, error) {
	var last error
	for _, one := range e.list {
		f, err := e.ask(ctx, one, query)
		if err == nil {
			return f, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		last = err
	}
	if errors.Is(last, errPassed) {
		return nil, fault.Wrap(fault.Unavailable, "web.search", last, "The free search engines refuse to answer at the moment. Wait some minutes, or choose a search with a key in Settings → Web.").
			WithCode(CodeRefused).
			ForTheModel("The search engines refuse to answer at the moment. Do not search again in this turn; go on with what you know or with addresses you have, and tell the person.")
	}
	return nil, last
}

// ask asks one engine, and once more after a timeout or a failure of its own. A
// refusal is never followed up: the engine rests.
func (e *engines) ask(ctx context.Context, one *engine, query string) (*found, error) {
	for again := true; ; again = false {
		rests, err := one.pace.take(ctx)
		if err != nil {
			return nil, err
		}
		if rests {
			return nil, errPassed
		}
		r, err := e.once(ctx, one, query)
		one.pace.give()
		switch wait := retryAfter(r); {
		case err != nil && fault.CodeOf(err) == "WEB_TIMEOUT", err == nil && r.status >= http.StatusInternalServerError && wait == 0:
			if again {
				continue
			}
			one.pace.refused(wait)
			return nil, errPassed
		case err != nil:
			return nil, err
		default:
			if f, ok := one.read(r); ok && r.status == http.StatusOK {
				one.pace.answered()
				f.by = one.name
				return f, nil
			}
			one.pace.refused(wait)
			e.web.log.Info("a search engine refuses", "engine", one.name, "status", r.status)
			return nil, errPassed
		}
	}
}

func (e *engines) once(ctx context.Context, one *engine, query string) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	req, err := one.request(ctx, query)
	if err != nil {
		return nil, err
	}
	return exchange(e.web.public, req, answerBytes)
}

// retryAfter is how long a source asks to be left alone: seconds or a date.
func retryAfter(r *reply) time.Duration {
	if r == nil {
		return 0
	}
	text := r.header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(0, min(n, int(longestCooldown/time.Second)))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
