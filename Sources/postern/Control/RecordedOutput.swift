import GatewayKit
import Glibc
import Synchronization

/// The file that `postern ctl record` writes, whole lines only.
final class RecordedOutput: Sendable {
  private struct State {
    var rest: [UInt8] = []
    var lines = 0
    var isOver = false
    var hasLastLine = false
  }

  private static let lastLine = Array(#"{"recording_ended":"#.utf8)

  let isStandard: Bool
  private let path: String
  private let descriptor: Int32
  private let state = Mutex(State())

  init(_ path: String) throws {
    self.path = path
    isStandard = path.utf8.elementsEqual("-".utf8)
    descriptor = isStandard ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw UsageError("FILE: cannot write '\(path)': \(String(cString: strerror(errno))); choose another")
    }
  }

  /// Writes the lines that are whole. Returns why it cannot.
  func write(_ piece: [UInt8]) -> String? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.rest += piece
      guard let end = state.rest.lastIndex(of: 0x0a) else { return nil }
      let lines = state.rest[...end].split(separator: 0x0a)
      state.rest = Array(state.rest[(end + 1)...])
      for line in lines {
        state.hasLastLine = line.starts(with: Self.lastLine)
        guard put(Array(line) + [0x0a]) else {
          state.isOver = true
          return "cannot write '\(path)': \(String(cString: strerror(errno)))"
        }
        state.lines += 1
      }
      return nil
    }
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
