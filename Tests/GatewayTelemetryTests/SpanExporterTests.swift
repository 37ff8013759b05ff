import GatewayCore
import GatewaySimulator
import Testing

@testable import GatewayRuntime
@testable import GatewayTelemetry

/// A collector that answers as told, each time with the next answer, and with the last one from then on.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class Poster: SpanPoster, @unchecked Sendable {
  var answers: [PostedSpans]
  var delay = Duration.zero
  private(set) var bodies: [[UInt8]] = []
  private(set) var times: [Instant] = []

  init(_ answers: PostedSpans...) { self.answers = answers }

  nonisolated(nonsending) func post(_ body: [UInt8]) async -> PostedSpans {
    let loop = EventLoop.current!
    bodies.append(body)
    times.append(loop.now)
    let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
    if delay > .zero { await loop.sleep(until: loop.now + delay) }
    return answer
  }

  /// The numbers of spans of each request.
  var sizes: [Int] {
    bodies.map { String(decoding: $0, as: UTF8.self).split(separator: "\"spanId\"").count - 1 }
  }
}

private func status(_ status: Int, _ fields: [HTTPField] = [], _ body: String = "{}") -> PostedSpans {
  .answered(HTTPResponse(status: status, headers: fields, body: Array(body.utf8)))
}

/// An exporter of two loops in virtual time.
private struct Scene {
  let world = SimulatedWorld(seed: 1, loops: 2, keepsTrace: false)
  let poster: Poster
  let traces: [LoopTraces]
  let exporter: SpanExporter
  let counts = SpanCounts()

  init(_ answers: PostedSpans...) {
    poster = Poster(status(200))
    poster.answers = answers
    traces = world.loops.map { loop in
      loop.eventLoop.asCurrent { LoopTraces(TraceSettings(share: 1, seed: 7), on: loop.eventLoop) }
    }
    exporter = SpanExporter(
      of: traces, as: TraceResource(service: "postern", version: "1"), by: poster, counting: counts, log: nil)
    exporter.begin()
  }

  /// Ends that many operations on a loop.
  func write(_ count: Int, loop: Int = 0) {
    let traces = traces[loop]
    traces.loop.execute { for _ in 0..<count { traces.begin("refresh", .server, dialect: nil).end() } }
  }

  func pass(_ seconds: Double) { world.advance(by: .seconds(seconds)) }

  /// The counts that are not 0.
  var counted: [String: Int] {
    var page = PrometheusText()
    counts.write(to: &page)
    let pairs = page.text.split(separator: "\n").compactMap { line -> (String, Int)? in
      let parts = line.split(separator: "\"")
      guard line.hasPrefix("postern_spans_total{"), parts.count == 3, let count = Int(parts[2].dropFirst(2)), count > 0
      else { return nil }
      return (String(parts[1]), count)
    }
    return Dictionary(pairs) { $0 + $1 }
  }
}

@Suite struct SpanExporterTests {
  @Test func `the spans of all loops are sent together, a second apart, and nothing is sent without any`() {
    let scene = Scene(status(200))
    scene.pass(3)
    #expect(scene.poster.bodies.isEmpty)
    scene.write(2)
    scene.write(3, loop: 1)
    scene.pass(1.1)
    scene.write(1)
    scene.pass(1.1)
    #expect(scene.poster.sizes == [5, 1] && scene.counted == ["sent": 6])
  }

  @Test(arguments: [0, 1]) func `512 spans are sent at once, and no request has more`(loop: Int) {
    let scene = Scene(status(200))
    scene.write(511, loop: loop)
    scene.pass(0.5)
    #expect(scene.poster.bodies.isEmpty)
    scene.write(1_000, loop: loop)
    scene.pass(0.1)
    #expect(scene.poster.sizes == [512, 512, 487])
    scene.pass(2)
    #expect(scene.poster.sizes.count == 3 && scene.counted == ["sent": 1_511])
  }

  @Test(arguments: [429, 502, 503, 504]) func `these statuses are repeated after the pause that they name`(code: Int) {
    let scene = Scene(status(code, [HTTPField("retry-after", "40")]), status(200))
    scene.write(1)
    scene.pass(30)
    scene.write(1)
    scene.pass(60)
    #expect(scene.poster.sizes == [1, 1, 1] && scene.counted == ["sent": 2])
    #expect(scene.poster.bodies[0] == scene.poster.bodies[1])
    #expect((scene.poster.times[1] - scene.poster.times[0]).inSeconds.rounded() == 40)
  }

  @Test(arguments: [400, 401, 404, 408, 413, 500, 501, 302])
  func `other statuses are not repeated, whatever pause they name`(code: Int) {
    let scene = Scene(status(code, [HTTPField("retry-after", "1")]), status(200))
    scene.write(3)
    scene.pass(600)
    #expect(scene.poster.sizes == [3] && scene.counted == ["refused": 3])
  }

  @Test func `without a named pause it is doubled with chance, up to ten seconds, and given up after ten minutes`() {
    let scene = Scene(status(503))
    scene.write(2)
    scene.pass(1_000)
    let pauses = zip(scene.poster.times, scene.poster.times.dropFirst()).map { ($1 - $0).inSeconds }
    #expect(pauses.allSatisfy { (0.25...10).contains($0) } && (0.25...0.5).contains(pauses[0]))
    #expect(pauses.dropFirst(5).allSatisfy { $0 >= 5 } && pauses.reduce(0, +) <= 600)
    #expect(scene.counted == ["failed": 2])
  }

  @Test func `a collector that nobody reaches gets the spans later, and one that has not answered in time does not`() {
    let scene = Scene(.undelivered("no"), .undelivered("no"), status(200), .unanswered("late"), status(200))
    scene.write(2)
    scene.pass(30)
    #expect(scene.poster.sizes == [2, 2, 2] && scene.counted == ["sent": 2])
    scene.write(3)
    scene.pass(30)
    #expect(scene.poster.sizes == [2, 2, 2, 3] && scene.counted == ["sent": 2, "failed": 3])
  }

  @Test(arguments: [#""2""#, "2"]) func `rejected spans are counted and not repeated`(two: String) {
    let scene = Scene(status(200, [], #"{"partialSuccess":{"rejectedSpans":\#(two),"errorMessage":"old"}}"#))
    scene.write(5)
    scene.pass(30)
    #expect(scene.poster.sizes == [5] && scene.counted == ["rejected": 2, "sent": 3])
  }

  @Test(arguments: ["", "[]", "<html>", #"{"partialSuccess":7}"#, #"{"partialSuccess":{"rejectedSpans":"-3"}}"#])
  func `an answer of 200 takes all spans, whatever its body`(body: String) {
    let scene = Scene(status(200, [], body))
    scene.write(5)
    scene.pass(30)
    #expect(scene.counted == ["sent": 5])
  }

  @Test func `more rejected spans than were sent count as all of them`() {
    let scene = Scene(status(200, [], #"{"partialSuccess":{"rejectedSpans":"18446744073709551615"}}"#))
    scene.write(5)
    scene.pass(30)
    #expect(scene.counted == ["rejected": 5])
  }

  @Test func `while a collector hangs each loop keeps 8,192 spans, and the rest are dropped and counted`() {
    let scene = Scene(status(200))
    scene.poster.delay = .seconds(100)
    scene.write(1)
    scene.pass(2)
    for _ in 0..<10 { scene.write(1_000) }
    scene.write(5, loop: 1)
    scene.pass(50)
    #expect(scene.poster.sizes == [1] && scene.traces[0].waiting == 8_192)
    scene.poster.delay = .zero
    scene.pass(60)
    #expect(scene.counted == ["sent": 1 + 8_192 + 5, "dropped": 10_000 - 8_192])
    #expect(scene.traces[0].waiting == 0 && scene.poster.sizes.allSatisfy { $0 <= 512 })
  }

  @Test func `the end sends what waits, and waits no longer than it may`() {
    let scene = Scene(status(200))
    scene.write(600)
    let exporter = scene.exporter
    _ = scene.world.ask { await exporter.finish(within: .seconds(2)) }
    #expect(scene.poster.sizes == [512, 88] && scene.counted == ["sent": 600])

    let other = Scene(status(503))
    other.write(3)
    let (hasty, begun) = (other.exporter, other.world.loops[0].now)
    _ = other.world.ask { await hasty.finish(within: .seconds(2)) }
    #expect(other.counted == ["failed": 3] && other.world.loops[0].now - begun < .seconds(3))
  }
}
