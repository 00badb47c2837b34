package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"fairlead/fault"
	"fairlead/tool"
)

// mostBody is how much of a page is read, after unpacking.
const mostBody = 5 << 20

// reply is what came back, read within bounds.
type reply struct {
	status int
	header http.Header
	at     string // the address after redirects
	mime   string // without parameters, lower case; "" where the server says none
	body   []byte
	cut    bool // there was more than the bound
}

// exchange sends a request and reads at most limit bytes of the answer.
func exchange(client *http.Client, req *http.Request, limit int64) (*reply, error) {
	response, err := client.Do(req)
	if err != nil {
		return nil, unreached(req, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil && len(body) == 0 {
		return nil, unreached(req, err)
	}
	r := &reply{status: response.StatusCode, header: response.Header, at: response.Request.URL.String(), body: body, cut: err != nil || int64(len(body)) > limit}
	r.body = body[:min(int64(len(body)), limit)]
	for n := 0; r.cut && n < utf8.UTFMax && len(r.body) > 0 && !utf8.Valid(r.body[max(0, len(r.body)-utf8.UTFMax):]); n++ {
		r.body = r.body[:len(r.body)-1] // half a character at the cut would make the whole look like another character set
	}
	r.mime, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	return r, nil
}

// unreached words a failure to get an answer. What we refused ourselves keeps its words.
func unreached(req *http.Request, err error) error {
	var ours *fault.Error
	if errors.As(err, &ours) {
		return ours
	}
	host := req.URL.Hostname()
	switch dns := (*net.DNSError)(nil); {
	case errors.Is(err, context.Canceled):
		return err
	case timedOut(err):
		return fault.Wrap(fault.Unavailable, "web.ask", err, "%s did not answer in time.", host).WithCode("WEB_TIMEOUT")
	case errors.As(err, &dns):
		return fault.Wrap(fault.NotFound, "web.ask", err, "There is no host %s, or its name could not be looked up.", host).WithCode("WEB_NO_HOST")
	}
	return fault.Wrap(fault.Unavailable, "web.ask", err, "%s could not be reached: %s.", host, plain(err)).WithCode("WEB_UNREACHABLE")
}

func timedOut(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

// plain is the innermost reason of an error, which names no address of ours.
func plain(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return tool.OutsideLine(err.Error(), 200)
}

// decoded gives the body as UTF-8: by the mark, the header, or what the page says
// of itself, in the order that browsers use.
func (r *reply) decoded() string {
	if utf8.Valid(r.body) && !bytes.ContainsRune(r.body, 0x1b) { // an escape begins the seven-bit sets of Japan
		return strings.TrimPrefix(string(r.body), "\uFEFF")
	}
	reader, err := charset.NewReader(bytes.NewReader(r.body), r.header.Get("Content-Type"))
	if err != nil {
		return strings.ToValidUTF8(string(r.body), "\uFFFD")
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return strings.ToValidUTF8(string(r.body), "\uFFFD")
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\uFEFF"), "\uFFFD")
}

// refusedStatus words an answer that is no page.
func (r *reply) refusedStatus() string {
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}
