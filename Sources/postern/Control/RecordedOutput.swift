import GatewayKit
import Glibc
import Synchronization

/// The output of `postern ctl record`, whole lines only. A file keeps its former content until the first line.
final class RecordedOutput: Sendable {
  private struct State {
    var rest: [UInt8] = []
    var lines = 0
    var hasBegun = false
    var isOver = false
    var hasLastLine = false
  }

  /// A longer line is none of a recording.
  private static let lineMax = 1 << 22
  private static let lastLine = Array(#"{"recording_ended":"#.utf8)

  let isStandard: Bool
  private let path: String
  private let descriptor: Int32
  private let state = Mutex(State())

  init(_ path: String) throws {
    self.path = path
    isStandard = path.utf8.elementsEqual("-".utf8)
    descriptor = isStandard ? STDOUT_FILENO : PrivateFile.open(path)
    guard descriptor >= 0 else {
      throw UsageError("FILE: cannot write '\(path)': \(String(cString: strerror(errno))); choose another")
    }
  }

  /// Writes the lines that are whole. Returns the reason if it cannot go on, empty if the reader of a pipe has left.
  func write(_ piece: [UInt8]) -> String? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.rest += piece
      guard let end = state.rest.lastIndex(of: 0x0a) else {
        return state.rest.count > Self.lineMax ? fail("the gateway sends no lines", &state) : nil
      }
      let lines = state.rest[...end].split(separator: 0x0a)
      state.rest = Array(state.rest[(end + 1)...])
      for line in lines {
        guard !line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
          return fail("the gateway sends control characters", &state)
        }
        state.hasLastLine = line.starts(with: Self.lastLine)
        guard state.hasBegun || isStandard || PrivateFile.clear(descriptor), put(Array(line) + [0x0a]) else {
          let error = errno
          return fail(error == EPIPE ? "" : "cannot write '\(path)': \(String(cString: strerror(error)))", &state)
        }
        state.hasBegun = true
        state.lines += 1
      }
      return nil
    }
  }

  private func fail(_ reason: String, _ state: inout State) -> String {
    state.isOver = true
    return reason
  }

  /// Writes the last line if the gateway has not. Returns the number of lines.
  func end() -> Int {
    state.withLock { state in
      if !state.isOver, !state.hasLastLine, state.lines > 0 {
        _ = put(Self.lastLine + Array("\"stopped\",\"lines\":\(state.lines)}\n".utf8))
      }
      state.isOver = true
      return state.lines
    }
  }

  private func put(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written) }
      if count > 0 { written += count } else if errno != EINTR { return false }
    }
    return true
  }
}
