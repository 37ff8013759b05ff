internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime
internal import Synchronization

/// The order that ends the gateway: `POST /drain` with `{"window_s": 30}`.
struct DrainRoute {
  /// The gateway; nil at a proxy.
  let gateway: Gateway?
  let drain: @Sendable (Duration?) -> Void
  private let rounds = Rounds()

  init(gateway: Gateway?, drain: @escaping @Sendable (Duration?) -> Void) {
    (self.gateway, self.drain) = (gateway, drain)
  }

  /// Whether an order to drain all nodes is under way.
  private final class Rounds: Sendable {
    let isUnderWay = Atomic(false)
  }

  var route: HTTPRoute {
    HTTPRoute("POST", "/drain") { request, _ in startDrain(request) }
  }

  private func startDrain(_ request: HTTPRequest) -> HTTPResponse {
    do throws(GatewayError) {
      let body: DrainOrder = try ControlAnswer.order(request)
      guard (0...86400).contains(body.windowS ?? 0) else {
        throw .invalidParameter.detailed("window_s must be 0 to 86400")
      }
      if let nodes = body.nodes {
        guard Name(nodes) == Name(DrainOrder.everyNode) else {
          throw .invalidParameter.detailed("nodes must be all; name one process with the parameter node")
        }
        return try drainAll(body.windowS)
      }
      drain(body.windowS.map { .saturating(seconds: $0) })
      return HTTPResponse(status: 202)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  // MARK: All nodes

  /// The time within which a process ends that drains without a window.
  private static let longest = Duration.seconds(3_600)
  /// The time in which a process that did not answer is declared dead, or is found to run.
  private static let patience = Duration.seconds(30)
  private static let interval = Duration.milliseconds(500)

  /// Drains every process, one after the other, this one last.
  private func drainAll(_ windowS: Double?) throws(GatewayError) -> HTTPResponse {
    guard let gateway, gateway.hasNodes, !NodeScope.isHere else {
      throw .invalidParameter.detailed("nodes: no other process is asked here; several need --node-name and one Redis")
    }
    guard rounds.isUnderWay.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
      throw .alreadyInProgress.worded("the processes are already drained, one after the other")
    }
    let own = gateway.configuration.life
    let names = gateway.nodeNames
    let others = names.keys.filter { $0 != own }.sorted { $0.node < $1.node }
    let window = windowS.map { Duration.saturating(seconds: $0) }
    let (caller, drain) = (OrderCaller.current, drain)
    LoopStage(loop: gateway.controlLoop).start {
      for other in others {
        await Self.drain(other, named: names[other] ?? other.description, window, of: gateway, by: caller)
      }
      drain(window)
    }
    var answer = JournalRoutes.response(
      JSONWriter.object { json in
        json.member("nodes", strings: (others + [own]).map { names[$0] ?? $0.description })
      })
    answer.status = 202
    return answer
  }

  /// Drains another process, and waits until it has ended.
  private nonisolated(nonsending) static func drain(
    _ life: NodeBoot, named name: String, _ window: Duration?, of gateway: Gateway, by caller: OrderCaller?
  ) async {
    let body = JSONWriter.object { json in
      guard let window else { return }
      json.name("window_s")
      json.number(window.inSeconds)
    }
    let answers = await gateway.ask(
      NodeRequest(
        to: life, "POST", "/drain", contentType: "application/json", body: body, caller: caller?.carried ?? []))
    let loop = gateway.controlLoop
    let isTold = answers.answers.first?.response.status == 202
    let deadline = loop.now + (isTold ? (window ?? longest) + patience : patience)
    while gateway.nodeNames[life] != nil, loop.now < deadline, !loop.hasEnded {
      await loop.sleep(until: loop.now + interval, as: "the end of a process that drains")
    }
    if gateway.nodeNames[life] != nil, !loop.hasEnded {
      gateway.log(
        .warning, "drain_unanswered", [.init("node", name), .init("hint", "it runs on; drain or end it by itself")])
    }
  }
}
