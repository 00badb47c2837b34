#include "textflag.h"

// See machine.go. R19 points at the instruction that runs; the first word of the
// data says where the first one is.
TEXT ·machine(SB), NOSPLIT|NOFRAME, $0
	MOVD $0x10010000, R19
	MOVD 0(R19), R19
next:
	MOVD 0(R19), R8
	MOVD 8(R19), R0
	MOVD 16(R19), R1
	MOVD 24(R19), R2
	MOVD 32(R19), R3
	MOVD 40(R19), R4
	MOVD 48(R19), R5
	CMP $0, R8
	BLT compare
	SVC
	JMP store
compare:
	SUB R1, R0, R0
store:
	MOVD 56(R19), R9
	CBZ R9, branch
	MOVD R0, 0(R9)
branch:
	CMP $0, R0
	BLT negative
	BEQ zero
	MOVD 80(R19), R19
	JMP next
zero:
	MOVD 72(R19), R19
	JMP next
negative:
	MOVD $0x10010000, R9
	MOVD R19, 8(R9)
	MOVD R0, 16(R9)
	MOVD 64(R19), R19
	JMP next
	WORD $0x72696166 // "fair"
	WORD $0x6461656c // "lead"

DATA ·machineText(SB)/8, $·machine(SB)
GLOBL ·machineText(SB), RODATA|NOPTR, $8
