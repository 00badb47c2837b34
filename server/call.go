package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"fairlead/fault"
)

// call is a request that was let in.
type call struct {
	*http.Request
	device *Device // nil for an open route
	ctl    *http.ResponseController
}

// bodyLimit is how long a body may take to arrive: a slow one holds a connection,
// never more.
const bodyLimit = 30 * time.Second

// serve lets the caller of a route in, bounds its body, and sends the answer.
func (s *Server) serve(route route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.admit(w, r, route)
		if err != nil {
			writeProblem(w, err)
			return
		}
		if route.stream != nil {
			if err := route.stream(w, c); err != nil {
				writeProblem(w, err)
			}
			return
		}
		value, err := route.answer(c)
		if err != nil {
			s.tell(r, err)
			writeProblem(w, err)
			return
		}
		status := http.StatusOK
		if a, ok := value.(accepted); ok {
			status, value = http.StatusAccepted, a.value
		}
		writeJSON(w, status, value)
	}
}

// accepted is an answer to something that goes on after it.
type accepted struct{ value any }

// admit checks rate, token and the shape of the body, in this order.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, route route) (*call, error) {
	c := &call{Request: r, ctl: http.NewResponseController(w)}
	if route.open {
		if !s.guard.rate.take("login", logins) {
			return nil, tooMany(w)
		}
	} else {
		device, no := s.guard.token(r)
		if no != nil {
			if !s.guard.rate.take("stranger", strangers) {
				return nil, tooMany(w)
			}
			return nil, no
		}
		if !s.guard.rate.take(device.ID, perDevice) {
			return nil, tooMany(w)
		}
		c.device = device
	}
	if route.body == 0 {
		return c, nil
	}
	if !route.raw {
		if no := isJSON(r); no != nil {
			return nil, no
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, route.body)
	c.bound(s.now().Add(bodyLimit))
	return c, nil
}

// bound sets until when the body may come; the zero time lifts it, which must be
// done before a long answer: a passed deadline would end it. A connection without
// deadlines (a test's recorder) is bounded by its own peer.
func (c *call) bound(until time.Time) { _ = c.ctl.SetReadDeadline(until) }

func tooMany(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "2")
	return refuse(http.StatusTooManyRequests, fault.Unavailable, "too-many-requests", "Too many requests came at once. Nothing was changed; try again in a moment.")
}

// tell logs what is our own failure; what a caller did wrong it has in its answer.
func (s *Server) tell(r *http.Request, err error) {
	if fault.KindOf(err) == fault.Internal {
		s.options.Log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
}

// read decodes the body into v, strictly: an unknown key is a misunderstanding.
func (c *call) read(v any) error {
	defer c.bound(time.Time{})
	d := json.NewDecoder(c.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if errors.Is(err, io.EOF) {
		return nil // an empty body asks for the defaults
	}
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.Wrap(fault.TooLarge, "server.read", err, "The body is over %d bytes. Nothing was changed.", over.Limit)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, "server.read", err, "The body is not the JSON this route takes. Nothing was changed.")
	}
	return nil
}

// number reads a count from the query.
func (c *call) number(name string, absent int64) (int64, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Invalid, "server.read", "%s must be a whole number that is not negative.", name)
	}
	return n, nil
}

// everything reads the body as bytes.
func (c *call) everything() ([]byte, error) {
	defer c.bound(time.Time{})
	content, err := io.ReadAll(c.Body)
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, fault.Wrap(fault.TooLarge, "server.read", err, "The body is over %d bytes. Nothing was kept.", over.Limit)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "server.read", err, "The body did not arrive whole. Nothing was kept; send it again.")
	}
	return content, nil
}
