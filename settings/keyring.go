package settings

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// Keyring is the system's store of passwords.
type Keyring interface {
	Get(service, name string) (string, error)
	Set(service, name, value string) error
	Delete(service, name string) error
}

// ErrNotInKeyring is what a keyring answers for a name it does not have.
var ErrNotInKeyring = errors.New("not in the keyring")

// ringService is the name under which a keyring keeps our entries.
const ringService = "fairlead"

// SystemKeyring is the keyring of the operating system: Keychain, Credential Manager
// or the Secret Service of the desktop. On Linux it is to be used only where the
// session has a message bus; without one the library would start a program to look
// for it.
func SystemKeyring() Keyring { return systemKeyring{} }

type systemKeyring struct{}

func (systemKeyring) Get(service, name string) (string, error) {
	v, err := keyring.Get(service, name)
	return v, translated(err)
}

func (systemKeyring) Set(service, name, value string) error {
	return translated(keyring.Set(service, name, value))
}

func (systemKeyring) Delete(service, name string) error {
	return translated(keyring.Delete(service, name))
}

func translated(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrNotInKeyring, err)
	}
	return err
}
