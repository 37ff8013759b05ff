import GatewayControl
import GatewayCore
import GatewayFaults
import GatewayJSON
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

// A proxy with a journal and faults in virtual time.

extension ProxyWorld {
  /// Does something on the proxy's loop.
  func onLoop<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    try world.loops[0].eventLoop.asCurrent(body)
  }

  /// Orders a fault. Throws an error about the order.
  @discardableResult
  func fail(_ json: String) throws -> StandingFault {
    let control = try #require(control)
    let fault = try onLoop { try control.faults.add(try FaultOrder.read(json: Array(json.utf8))) }
    world.settle()
    return fault
  }

  func mend(_ fault: StandingFault) throws {
    let control = try #require(control)
    #expect(onLoop { control.faults.remove(fault.number) })
    world.settle()
  }

  /// The journal's lines as JSON without times.
  var lines: [String] {
    onLoop { control?.journal.page(Journal.Query()).lines.map(Self.text) ?? [] }
  }

  func lines(_ kind: JournalKind) -> [JournalLine] {
    onLoop { control?.journal.page(Journal.Query(kinds: [kind])).lines ?? [] }
  }

  private static func text(_ line: JournalLine) -> String {
    let text = JournalText.text(line)
    let start = text.firstRange(of: #""kind""#)?.lowerBound ?? text.startIndex
    return "{" + text[start...]
  }

  /// Returns the answer to a request at the control port.
  func ask(_ method: String, _ path: String, _ body: String = "", _ fields: [HTTPField] = []) async throws
    -> HTTPResponse
  {
    let control = try #require(control)
    let loop = world.loops[0].eventLoop
    let site = ControlSite(
      proxy: route, faults: control.faults,
      refusing: [RefusedOrder("POST", "/revocations", .notOurs)], secret: nil, hosts: [], on: loop,
      log: { route.log($0, $1, $2) }, newKey: { "" }
    ) { _ in }
    var request = HTTPRequest(method: method, path: path, headers: fields + [HTTPField("host", "localhost")])
    let parts = path.split(separator: "?", maxSplits: 1)
    request.path = String(parts[0])
    if parts.count > 1 {
      let pair = parts[1].split(separator: "=")
      request.query = [HTTPField(String(pair[0]), String(pair[1]))]
    }
    request.body = Array(body.utf8)
    if !body.isEmpty { request.headers.append(HTTPField("content-type", "application/json")) }
    let task = loop.asCurrent {
      LoopStage(loop: loop).begin { [request] in await site.respond(to: request, on: loop) }
    }
    world.advance(by: .seconds(1))
    return await task.value
  }

  func askText(_ method: String, _ path: String, _ body: String = "") async throws -> String {
    let answer = try await ask(method, path, body)
    return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
  }
}
