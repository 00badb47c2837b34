package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"fairlead/fault"
)

func TestKindSurvivesWrapping(t *testing.T) {
	inner := fault.New(fault.Conflict, "session.open", "Another process writes this session.").WithCode("held")
	outer := fmt.Errorf("server: %w", inner)
	if got := fault.KindOf(outer); got != fault.Conflict {
		t.Errorf("kind = %v, want conflict", got)
	}
	if got := fault.CodeOf(fault.Wrap(fault.Conflict, "agent.send", outer, "Not sent.")); got != "held" {
		t.Errorf("code = %q, want that of the inner error", got)
	}
	if got := fault.Person(outer); got != "Another process writes this session." {
		t.Errorf("person's text = %q", got)
	}
}

func TestContextErrorsHaveKinds(t *testing.T) {
	for err, want := range map[error]fault.Kind{
		context.Canceled:         fault.Cancelled,
		context.DeadlineExceeded: fault.Unavailable,
		errors.New("boom"):       fault.Internal,
	} {
		if got := fault.KindOf(err); got != want {
			t.Errorf("KindOf(%v) = %v, want %v", err, got, want)
		}
	}
}

func TestEveryKindHasAWordAndCodes(t *testing.T) {
	seen := map[string]bool{}
	for k := fault.Internal; k <= fault.Cancelled; k++ {
		if seen[k.String()] {
			t.Errorf("kind %d repeats the word %q", k, k)
		}
		seen[k.String()] = true
		if k.HTTPStatus() < 400 || k.ACPCode() >= 0 {
			t.Errorf("%v maps to %d and %d", k, k.HTTPStatus(), k.ACPCode())
		}
	}
}

func TestModelTextFallsBackToThePersons(t *testing.T) {
	err := fault.New(fault.Invalid, "tool.read", "The file is binary.")
	if got := fault.ForModel(err); got != "The file is binary." {
		t.Errorf("got %q", got)
	}
	if got := fault.ForModel(err.ForTheModel("Use shell with xxd.")); got != "Use shell with xxd." {
		t.Errorf("got %q", got)
	}
}
