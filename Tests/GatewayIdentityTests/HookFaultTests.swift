import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults
@testable import GatewayIdentity

/// A backend that is broken on purpose.
@Suite(.timeLimit(.minutes(2)))
struct HookFaultTests {
  private static let faults: [any AnswerFault.Type] = [
    HookAnswer.self, HookSlow.self, HookNever.self, HookMalformed.self, HookDeny.self, HookDisconnect.self,
  ]

  private func fail(_ space: HookSpace, _ order: String) throws { try space.inner.fail(order) }

  /// The login under a fault: the error's number or 0, the close code or 0, and whether the backend was asked.
  private static let rows: [(order: String, error: Int, code: UInt16, isAsked: Bool)] = [
    (#"{"fault": "hook_answer", "status": 500}"#, 503_005, 1013, false),
    (#"{"fault": "hook_answer", "status": 302}"#, 503_005, 1013, false),
    (#"{"fault": "hook_answer", "status": 403}"#, 403_007, 4500, false),
    (#"{"fault": "hook_slow", "by_ms": 1000}"#, 0, 0, true),
    (#"{"fault": "hook_slow", "by_ms": 60000}"#, 503_005, 1013, false),
    (#"{"fault": "hook_never", "of": "connect"}"#, 503_005, 1013, false),
    (#"{"fault": "hook_malformed"}"#, 503_005, 1013, false),
    (#"{"fault": "hook_deny", "code": 1000, "message": "no seat"}"#, 403_007, 4500, false),
    (#"{"fault": "hook_disconnect", "code": 4567, "reason": "banned"}"#, 403_007, 4567, false),
    (#"{"fault": "hook_disconnect"}"#, 403_007, 4500, false),
    (#"{"fault": "hook_deny", "of": "refresh"}"#, 0, 0, true),
    (#"{"fault": "hook_deny", "who": {"users": ["bob"]}}"#, 0, 0, true),
  ]

  @Test(arguments: rows.indices)
  func `a login under a fault of the backend ends as its row says, and the journal names the fault`(index: Int) throws {
    let row = Self.rows[index]
    let space = try HookSpace([.connect, .refresh], takesFaults: true)
    try fail(space, row.order)
    let ann = space.connect(try space.token())
    let said = ann.texts.first ?? ""
    let isRight = row.error == 0 ? said.has(#""type":"connected""#) : IntrospectionSpace.number(said) == row.error
    #expect(isRight, "\(row) \(ann.texts)")
    space.pass(10)
    #expect((ann.ending?.code ?? 0) == row.code && space.backend.requests.isEmpty == !row.isAsked, "\(row)")
    let counts = space.inner.world.ask { [gateway = space.inner.space.gateway] in
      await gateway.journal(Journal.Query(limit: .max))
    }
    let faulted = (counts ?? nil)?.lines.filter { $0.event.kind == .faulted } ?? []
    let strikes = row.error != 0 || row.order.has("hook_slow")
    #expect(faulted.isEmpty == !strikes && faulted.allSatisfy { $0.user == UserID("ann") }, "\(faulted)")
  }

  @Test(arguments: faults.indices)
  func `each fault takes its own example, and the backend is asked as ever once the fault has been taken back`(
    index: Int
  ) throws {
    let space = try HookSpace([.connect, .refresh, .commands], takesFaults: true)
    let ann = space.connect(try space.token(life: 36_000))
    try fail(space, Self.faults[index].example)
    _ = try space.refresh(ann, life: 36_000)
    space.pass(10)
    space.inner.mend()
    space.pass(120)
    #expect(space.onGrace == 0)
    #expect(space.connect(try space.token("bob")).texts.first?.has("connected") == true)
  }

  @Test
  func `a fault that keeps the refresh of some from an answer has nobody else on grace, and ends nobody`() throws {
    let space = try HookSpace([.refresh], takesFaults: true)
    let users = ["ann", "bob"]
    let peers = try users.map { space.connect(try space.token($0, life: 36_000)) }
    try fail(space, #"{"fault": "hook_malformed", "who": {"users": ["ann"]}, "for_s": 120}"#)
    for (peer, user) in zip(peers, users) { _ = try space.refresh(peer, user, life: 36_000) }
    #expect(space.onGrace == 1)
    space.pass(400)
    #expect(space.onGrace == 0 && peers.allSatisfy { $0.isOpen && $0.texts.last?.has("refreshed") == true })
  }

  @Test
  func `a question that a fault holds back is asked when the fault is taken back`() throws {
    let space = try HookSpace([.connect], takesFaults: true) { $0.timeout = .seconds(9) }
    try fail(space, #"{"fault": "hook_never"}"#)
    let ann = space.begin(try space.token())
    space.pass(2)
    #expect(ann.texts.isEmpty && space.backend.requests.isEmpty)
    space.inner.mend()
    space.pass(1)
    #expect(ann.texts.first?.has("connected") == true && space.backend.requests.count == 1)
  }

  @Test
  func `a fault of a hook that the gateway does not ask is refused with the flag that is missing`() throws {
    let none = try HookSpace([], takesFaults: true)
    let refused = #expect(throws: GatewayError.self) { try fail(none, #"{"fault": "hook_never"}"#) }
    #expect(
      refused?.message.has("--hook-connect, --hook-refresh or --hook-commands") == true, "\(refused?.message ?? "")")
    let connect = try HookSpace([.connect], takesFaults: true)
    let other = #expect(throws: GatewayError.self) {
      try fail(connect, #"{"fault": "hook_never", "of": "refresh"}"#)
    }
    #expect(
      other?.message.has("--hook-refresh") == true && other?.name == "invalid_parameter", "\(other?.message ?? "")")
  }
}
