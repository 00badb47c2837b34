#include "textflag.h"

// See machine.go. R15 points at the instruction that runs; the first word of the
// data says where the first one is.
TEXT ·machine(SB), NOSPLIT|NOFRAME, $0
	MOVL $0x10010000, R15
	MOVQ 0(R15), R15
next:
	MOVQ 0(R15), AX
	MOVQ 8(R15), DI
	MOVQ 16(R15), SI
	MOVQ 24(R15), DX
	MOVQ 32(R15), R10
	MOVQ 40(R15), R8
	MOVQ 48(R15), R9
	TESTQ AX, AX
	JLT compare
	SYSCALL
	JMP store
compare:
	MOVQ DI, AX
	SUBQ SI, AX
store:
	MOVQ 56(R15), BX
	TESTQ BX, BX
	JEQ branch
	MOVQ AX, 0(BX)
branch:
	TESTQ AX, AX
	JLT negative
	JEQ zero
	MOVQ 80(R15), R15
	JMP next
zero:
	MOVQ 72(R15), R15
	JMP next
negative:
	MOVL $0x10010000, BX
	MOVQ R15, 8(BX)
	MOVQ AX, 16(BX)
	MOVQ 64(R15), R15
	JMP next
	BYTE $'f'; BYTE $'a'; BYTE $'i'; BYTE $'r'; BYTE $'l'; BYTE $'e'; BYTE $'a'; BYTE $'d'

DATA ·machineText(SB)/8, $·machine(SB)
GLOBL ·machineText(SB), RODATA|NOPTR, $8
