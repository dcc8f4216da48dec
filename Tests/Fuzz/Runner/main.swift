import CFuzzer
import Glibc

guard FuzzTarget.chosen != nil else {
    print(FuzzTarget.all.keys.sorted().joined(separator: "\n"))
    exit(getenv("FUZZ_TARGET") == nil ? 0 : 64)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        FuzzTarget.chosen?.try(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
