import Foundation
import GatewayCore
import GatewayRuntime
import Testing

@testable import postern

struct OperatorLogTests {
  private static let time = WallTime(nanoseconds: 1_800_000_000_250_000_000)

  private func line(_ value: String, _ format: OperatorLog.Format = .text) -> String {
    OperatorLog.line(LogEvent(.info, "cut_off", [.init("user", value)]), format, at: Self.time)
  }

  @Test
  func `a log line has the time to the millisecond, the level, and the event`() {
    #expect(line("ann") == "time=2027-01-15T08:00:00.250Z level=info event=cut_off user=ann")
    #expect(
      line("ann", .json)
        == #"{"time":"2027-01-15T08:00:00.250Z","level":"info","event":"cut_off","user":"ann"}"#)
  }

  @Test(arguments: [
    ("a b", #""a b""#), ("", #""""#), ("a\nevent=ready", #""a\nevent=ready""#), ("a\r\t\0", #""a\r\t\u0000""#),
    ("\u{1B}[2J\u{9B}1m\u{7F}", #""\u001b[2J\u009b1m\u007f""#), ("a\"b\\", #""a\"b\\""#), ("Zoë", #""Zoë""#),
    ("\u{202E}txt\u{2028}\u{FEFF}", #""\u202etxt\u2028\ufeff""#), ("\u{E0001}", #""\udb40\udc01""#),
  ])
  func `a log entry is one line, and moves no cursor, whatever a peer calls itself`(value: String, expected: String)
    throws
  {
    #expect(line(value).hasSuffix(" user=\(expected)"))
    let object = try JSONDecoder().decode([String: String].self, from: Data(line(value, .json).utf8))
    #expect(object["user"].map { Array($0.utf8) } == Array(value.utf8), "the JSON says it unchanged")
  }

  @Test
  func `a log line is short, however long a name is`() {
    for format in OperatorLog.Format.allCases {
      #expect(line(String(repeating: "x", count: 100_000), format).utf8.count < 700)
      #expect(line(String(repeating: "\u{1}", count: 100_000), format).utf8.count < 4_000)
    }
  }

  @Test
  func `a log line below the level is not written, and lines for a full descriptor are counted as lost`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    signal(SIGPIPE, SIG_IGN)
    let log = OperatorLog(level: .warning, format: .text, writer: LineWriter(ends[1]))
    log.gateway.note(.info, "unwanted")
    let long = String(repeating: "x", count: 500)
    // A pipe of 64 KiB that nobody reads, and a queue of a mebibyte.
    for _ in 0..<4_000 { log.gateway.note(.warning, "wanted", ["text": long]) }
    log.writer.flush()
    #expect(log.writer.lost > 1_000 && log.writer.lost < 3_000)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    #expect(read(ends[0], &bytes, bytes.count) == 4_096)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("unwanted"))
    // The reader goes first: what still waits is lost, and nobody writes to a descriptor that may soon be another's.
    close(ends[0])
    log.writer.flush()
    close(ends[1])
  }

  @Test
  func `a log line for a closed descriptor, or one whose reader has gone, is lost`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    signal(SIGPIPE, SIG_IGN)
    defer { close(ends[1]) }
    for descriptor in [ends[1], 1 << 20] {
      let writer = LineWriter(descriptor)
      for _ in 0..<3 { writer.add("x\n") }
      writer.flush()
      #expect(writer.lost == 3)
    }
  }
}
