import GatewayControl
import GatewayCore
import Testing

@testable import GatewayProcess

@Suite(.timeLimit(.minutes(1)))
struct ServiceInboxTests {
  private static let answer = ReloadAnswer(keys: .reloaded(["--key-file"]), certificate: nil)

  /// Takes the next step, which must be a reload, and carries it out.
  private static func reload(by inbox: ServiceInbox) async {
    guard case .reload = await inbox.next() else {
      Issue.record("another step than a reload")
      return
    }
    inbox.reloaded(answer)
    guard case .reloaded(let given) = await inbox.next() else {
      Issue.record("the reload has not ended")
      return
    }
    inbox.tell(given)
  }

  @Test
  func `eight orders wait for one reload, and the ninth is refused`() async {
    let inbox = ServiceInbox()
    inbox.attend()
    inbox.reload()
    guard case .reload = await inbox.next() else { return }
    await withTaskGroup(of: Result<ReloadAnswer, GatewayError>.self) { group in
      for _ in 0..<9 { group.addTask { await inbox.answeredReload() } }
      // The first answer is the refusal: the others wait.
      guard case .failure(let refusal) = await group.next() else {
        Issue.record("nobody is refused")
        return
      }
      #expect(refusal.isSame(as: .tooMany))
      inbox.reloaded(Self.answer)
      guard case .reloaded(let given) = await inbox.next() else { return }
      // The reload that was under way began before the orders came, and answers none of them.
      inbox.tell(given)
      await Self.reload(by: inbox)
      var answered = 0
      for await outcome in group where outcome == .success(Self.answer) { answered += 1 }
      #expect(answered == 8)
    }
  }

  @Test
  func `several waiting SIGHUPs become one reload`() async {
    let inbox = ServiceInbox()
    for _ in 0..<1_000 { inbox.reload() }
    await Self.reload(by: inbox)
    inbox.end(.init(cause: "input"))
    guard case .end(let end) = await inbox.next() else {
      Issue.record("a second reload")
      return
    }
    #expect(end.cause == "input")
  }

  @Test
  func `an order to end goes before waiting reloads, and refuses the orders among them`() async {
    let inbox = ServiceInbox()
    inbox.attend()
    async let first = inbox.answeredReload()
    guard case .reload = await inbox.next() else {
      Issue.record("no reload")
      return
    }
    inbox.reload()
    inbox.end(.init(cause: "SIGTERM", isSignal: true))
    inbox.end(.init(cause: "control"))
    guard case .end(let end) = await inbox.next() else {
      Issue.record("no end")
      return
    }
    inbox.refuseReloads()
    #expect(end.cause == "SIGTERM")
    #expect(await first == .failure(.draining))
    #expect(await inbox.answeredReload() == .failure(.draining))
  }

  @Test
  func `after an order to end another signal ends the drain at once, and another order does not`() async {
    let inbox = ServiceInbox()
    inbox.end(.init(cause: "control", window: .seconds(1)))
    _ = await inbox.next()
    inbox.end(.init(cause: "input"))
    inbox.drained(unanswered: 3)
    guard case .drained(unanswered: 3) = await inbox.next() else {
      Issue.record("an order ended the drain")
      return
    }
    inbox.end(.init(cause: "SIGINT", isSignal: true))
    guard case .endAtOnce = await inbox.next() else {
      Issue.record("a signal was lost")
      return
    }
  }

  @Test
  func `an order is refused with 503 if the process cannot carry out reloads`() async {
    guard case .failure(let refusal) = await ServiceInbox().answeredReload() else {
      Issue.record("answered")
      return
    }
    #expect(refusal.isSame(as: .overloaded))
  }
}
