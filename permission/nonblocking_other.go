//go:build !unix

package permission

const nonBlocking = 0
