import Glibc

/// The function that libFuzzer calls with each input. `POSTERN_FUZZ_TARGET` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(chosen.name): \(error)")
  }
  return 0
}

private let chosen: FuzzTarget = {
  let name = getenv("POSTERN_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTargets.named(name) else {
    fatalError(
      "POSTERN_FUZZ_TARGET is '\(name)'; it must be one of \(FuzzTargets.all.map(\.name).joined(separator: ", "))")
  }
  return target
}()
