package tool

import (
	"context"

	"fairlead/graph"
)

// Reservation keeps tools of a realm for calls that are made inside another call: they
// are in no request, and the model that calls one itself is told what to do instead.
type Reservation struct {
	// Except are the names that the model may call itself.
	Except []string
	// Say is the answer to a call of the model's that names a reserved tool; "" lets it
	// pass.
	Say func(*Call) string
}

// Reserve makes a reservation for f's realm and those below, until f stops. The nearest
// one counts.
func (r *Registry) Reserve(f *graph.Fiber, v Reservation) {
	realm, own := f.Realm(), &v
	r.mu.Lock()
	r.reservations[realm] = append(r.reservations[realm], own)
	r.mu.Unlock()
	f.Effect("reserves tools", func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		remove(r.reservations, realm, own)
		return nil
	})
}

func (r *Registry) reservation(realm *graph.Realm) *Reservation {
	r.mu.Lock()
	defer r.mu.Unlock()
	for up := realm; up != nil && len(r.reservations) > 0; up = up.Parent() {
		if own := r.reservations[up]; len(own) > 0 {
			return own[len(own)-1]
		}
	}
	return nil
}

// keeps reports whether a tool is left to calls inside others.
func (v *Reservation) keeps(name string) bool {
	if v == nil {
		return false
	}
	for _, free := range v.Except {
		if free == name {
			return false
		}
	}
	return true
}

// reserved answers a call of the model's that names a reserved tool; "" lets it pass.
func (r *Registry) reserved(realm *graph.Realm, c *Call) string {
	if c.Caller != CallerModel || c.Parent != "" {
		return ""
	}
	if v := r.reservation(realm); v.keeps(c.Tool) {
		return v.Say(c)
	}
	return ""
}
