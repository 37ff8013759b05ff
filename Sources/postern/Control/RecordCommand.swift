import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer
import Glibc

/// The command `postern ctl record`: it records a proxy, a route or a gateway until it is stopped.
enum RecordCommand {
  static let word = "record"

  private struct Draft: Sendable {
    var time: Duration?
  }

  private static let options: [Option<Draft>] = [
    Option("for", "DURATION", "how long to record (default: until Ctrl-C or SIGTERM)", \.time, .duration)
  ]

  static var page: CommandPage {
    CommandPage(
      name: "\(ControlCommand.name) \(word)",
      summary: "record what a proxy or a gateway sees to a file, without secrets, until Ctrl-C; - is standard output",
      operands: "FILE", example: "postern \(ControlCommand.name) \(word) run.jsonl --for 30s",
      sections: [FlagSection("flags", options), ControlConnection.spaceSection])
  }

  private enum End: Sendable {
    case stopped
    case gatewayEnded
    case failed(String)
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments.operands.count == 2 else { throw UsageError("\(page.name) needs a FILE, or - for standard output") }
    try ControlCommand.refuseOthers(arguments, than: page)
    var draft = Draft()
    try arguments.read(options, into: &draft)
    let signals = SignalStream([SIGINT, SIGTERM])
    let output = try RecordedOutput(arguments.operands[1])
    let connection = try ControlConnection(arguments)
    let client = try connection.client()
    let path = (connection.space.map { "/spaces/\(PercentEncoding.encode($0))" } ?? "") + "/recording"
    let loop = SocketLoop(index: 0)
    try loop.start()
    let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingOldest(1))
    // The time begins with the recording, however long the connection took.
    let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let reading = Task(executorPreference: loop.events) {
      end.yield(await read(path, client, by: SocketDialer(on: loop), to: output) { beginning.yield() })
    }
    let watch = Task {
      for await _ in signals { end.yield(.stopped) }
    }
    let limit = Task(executorPreference: loop.events) {
      guard let time = draft.time else { return }
      for await _ in beginnings { break }
      guard !Task.isCancelled else { return }
      await loop.events.sleep(until: loop.events.now + time)
      end.yield(.stopped)
    }
    var outcome = End.stopped
    for await first in ends {
      outcome = first
      break
    }
    watch.cancel()
    limit.cancel()
    reading.cancel()
    signals.end()
    let lines = output.end()
    loop.stop()
    if case .failed(let sentence) = outcome {
      // A reader that closes the pipe early is no failure.
      if sentence.isEmpty { return 0 }
      Output.error(sentence)
      return 1
    }
    if !output.isStandard { Output.line("recorded \(lines) lines to \(arguments.operands[1])") }
    return 0
  }

  private nonisolated(nonsending) static func read(
    _ path: String, _ client: ControlClient, by dialer: SocketDialer, to output: RecordedOutput, begun: () -> Void
  ) async -> End {
    do {
      let answer = try await client.open(HTTPRequest(method: "GET", path: path), by: dialer)
      guard let stream = answer.stream, answer.status == 200 else {
        var body = answer.body
        while let piece = await answer.stream?.next(), body.count < 1 << 16 { body += piece }
        return .failed(ControlClient.Answer(status: answer.status, data: body).complaint)
      }
      begun()
      while let piece = await stream.next() {
        if let failure = output.write(piece) { return .failed(failure) }
      }
      return .gatewayEnded
    } catch {
      return .failed("\(error)")
    }
  }
}
