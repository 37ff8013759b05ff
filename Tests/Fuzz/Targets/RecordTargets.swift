import GatewayCore
import GatewayDrafts
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayWires

@testable import GatewayRedis
@testable import GatewayReport
@testable import GatewaySpace
@testable import postern

/// Files and streams that another run, another process or another program wrote.
enum RecordTargets {
  static let all = [
    FuzzTarget("replay", replay), FuzzTarget("report", report), FuzzTarget("storm-lines", stormLines),
    FuzzTarget("redis", redis), FuzzTarget("rows", rows), FuzzTarget("recorded-text", recordedText),
    FuzzTarget("recording", recording),
  ]

  static func replay(_ bytes: [UInt8]) throws {
    guard let lines = try? ReplayLine.read(bytes) else { return }
    let script = ReplayScript(lines)
    try hold(script.steps.count + script.lacking.count <= lines.count, "more steps than lines")
    _ = (lines.map(\.text), lines.map(\.repeatable))
  }

  /// Drafts a description of a recording or a HAR file. A person may have edited it.
  static func recording(_ bytes: [UInt8]) throws {
    guard let recording = try? Recording(reading: bytes),
      let draft = try? WireDraft(recording, name: "drafted")
    else { return }
    try hold((try? DescriptionFile.parse(Array(draft.text.utf8), file: "draft")) != nil, "no JSON5: \(draft.text)")
  }

  private static let secret = "mark-9f3Kq7Zt21vLx0Wb"

  /// Puts a secret at a place that the first byte chooses.
  static func recordedText(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    var scrubber = SecretScrubber()
    _ = scrubber.value("Bearer \(secret)", named: "authorization")
    let text = bytes.dropFirst()
    let place = text.startIndex + Int(first) % (text.count + 1)
    for around in [[UInt8](), Array("\"".utf8), Array(" ".utf8)] {
      let marked = Array(text[..<place]) + around + Array(secret.utf8) + around + Array(text[place...])
      let shown = scrubber.text(marked)
      try hold(!shown.utf8.contains(secret.utf8), "the secret is in \(shown)")
      try hold(shown.utf8.count <= 8 * marked.count + 256, "\(shown.utf8.count) bytes of \(marked.count)")
    }
    let plain = String(decoding: text, as: UTF8.self)
    _ = (scrubber.path(plain), scrubber.word(plain), scrubber.value(plain, named: "cookie"), scrubber.takeTokens())
  }

  static func report(_ bytes: [UInt8]) throws {
    let report: RecordedReport
    do throws(RecordedReportError) {
      report = try RecordedReport(json: bytes)
    } catch {
      try hold(!error.description.isEmpty, "an error without words")
      return
    }
    _ = (report.table, report.csv, report.junit, report.hdrLog, report.summary)
    let comparison = ReportComparison(base: report, value: report, ComparisonRule())
    _ = (comparison.table, comparison.html)
    guard let json = try? comparison.json() else { return }
    try hold((try? JSONDocument.parse(json, sizeMax: 1 << 26, depthMax: 64)) != nil, "no JSON")
  }

  static func stormLines(_ bytes: [UInt8]) throws {
    func lines(_ pieces: [Range<Int>]) -> (lines: [[UInt8]], isTooLong: Bool) {
      var (buffer, lines) = (LineBuffer(), [[UInt8]]())
      for piece in pieces {
        buffer.append(Array(bytes[piece]))
        do { while let line = try buffer.next(bytesMax: 1_000) { lines.append(line) } } catch { return (lines, true) }
      }
      return (lines, false)
    }
    let (whole, cut) = (lines(Pieces.whole(bytes)), lines(Pieces.cut(bytes)))
    try hold(whole == cut, "in one piece \(whole), in pieces \(cut)")
    guard let message = try? StormMessage(line: bytes), let line = try? message.line() else { return }
    let again = try? StormMessage(line: Array(line.utf8)).line()
    try hold(again == line, "\(line), and again \(again ?? "nothing")")
  }

  // MARK: Stores

  private static func replies(_ bytes: [UInt8], _ pieces: [Range<Int>]) -> (replies: [RedisReply], isInvalid: Bool) {
    guard let parser = RedisParser() else { return ([], true) }
    var replies: [RedisReply] = []
    for piece in pieces {
      guard bytes[piece].withUnsafeBytes({ parser.feed($0) }) else { return (replies, true) }
      reading: while true {
        switch parser.next() {
        case .reply(let reply): replies.append(reply)
        case .needsMore: break reading
        case .invalid: return (replies, true)
        }
      }
    }
    return (replies, false)
  }

  static func redis(_ bytes: [UInt8]) throws {
    let (whole, cut) = (replies(bytes, Pieces.whole(bytes)), replies(bytes, Pieces.cut(bytes)))
    try hold(whole == cut, "in one piece \(whole), in pieces \(cut)")
    for case .bytes(let row) in whole.replies { _ = RedisRow(row) }
    if let row = RedisRow(bytes) {
      try hold(row.value.count < bytes.count && row.version.number > 0, "\(row)")
      _ = row.isAlive(at: WallTime(seconds: 1_800_000_000))
    }
  }

  static func rows(_ bytes: [UInt8]) throws {
    try row(NodeRow.self, bytes)
    for read in DialectTargets.rows { try read(bytes) }
  }

  /// Checks that a row which can be read is written so that it reads the same.
  static func row<Row: StoreValue>(_ type: Row.Type, _ bytes: [UInt8]) throws {
    let row: any StoreValue
    do { row = try StoredJSON.decode(bytes, as: type) } catch {
      try hold(!StoredJSON.reason(error).isEmpty, "an error without words")
      return
    }
    guard let value = row as? Row, let first = try? StoredJSON.encode(value) else {
      throw FuzzFailure("a row that cannot be written: \(row)")
    }
    guard let again = try? StoredJSON.decode(first, as: type) as? Row, let second = try? StoredJSON.encode(again) else {
      throw FuzzFailure("what was written cannot be read: \(String(decoding: first, as: UTF8.self))")
    }
    // The members of a dictionary have no order.
    try hold(first.sorted() == second.sorted(), "\(row), and again \(again)")
  }
}
