package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// PutAside renames a file or folder to a name that nothing reads by itself: what a
// child made although it is protected, see [Exit.Appeared]. It gives the new name, and
// [fs.ErrNotExist] where nothing is there any more.
func PutAside(path string) (string, error) {
	for n := range 100 {
		aside := path + ".refused"
		if n > 0 {
			aside += "-" + strconv.Itoa(n+1)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		}
	}
	return "", fmt.Errorf("%s.refused and its like are all taken: %w", path, fs.ErrExist)
}
