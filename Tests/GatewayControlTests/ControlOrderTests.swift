import GatewayCore
import GatewayJSON
import GatewaySpace
import Testing

@testable import GatewayControl

struct ControlOrderTests {
  /// Returns the error of an order with a member that it does not know.
  private static func refusal<Order: ControlOrder>(_ type: Order.Type) -> String {
    let request = HTTPRequest(method: "POST", path: "/", body: Array(#"{"Windows": 1}"#.utf8))
    do throws(GatewayError) {
      let _: Order = try ControlAnswer.order(request)
      return "accepted"
    } catch {
      return error.message
    }
  }

  private static let orders: [(any ControlOrder.Type, String)] = [
    (NoMembers.self, "there is none"),
    (DisconnectOrder.self, "there is code, reason"),
    (SayOrder.self, "there is text, base64, mean"),
    (RevocationOrder.self, "there is token_fingerprint, expires_at, user_id, issued_before"),
    (DrainOrder.self, "there is window_s, nodes"),
    (ClockOrder.self, "there is wall"),
    (AdvanceOrder.self, "there is wall, by_s, patience_ms, stop_at"),
    (WaitOrder.self, "there is kind, user, connection, dialect, count, after, within_ms"),
    (SpreadWaveOrder.self, "there is from, before, user, dialect, over_s"),
    (MakeSpaceOrder.self, "there is name, upstream, port, frozen, seed, wall, settings, idle_s"),
    (
      ExpectOrder.self,
      "there is expect, user, dialect, after, since, attempt, late, at_least_ms, at_most, quiet_ms, within_ms, new_token, per_connection"
    ),
    (LogInOrder.self, "there is secret"),
  ]

  @Test
  func `an unknown member of any order is refused by name, and the error lists the known ones`() {
    for (type, known) in Self.orders {
      let text = Self.refusal(type)
      #expect(text.hasSuffix("no member is called 'Windows'; \(known)"), "\(type): \(text)")
    }
  }

  @Test
  func `an order that is no JSON object is refused with its form`() {
    for (type, _) in Self.orders {
      let request = HTTPRequest(method: "POST", path: "/", body: Array("[1]".utf8))
      func message<Order: ControlOrder>(_ type: Order.Type) -> String {
        do throws(GatewayError) {
          let _: Order = try ControlAnswer.order(request)
          return "accepted"
        } catch {
          return error.message
        }
      }
      #expect(message(type).hasSuffix("expected a JSON object \(type.form)"), "\(type)")
    }
  }

  /// Returns what the routes read of an order that a client writes.
  private func read<Order: ControlOrder>(_ order: Order) throws -> (order: Order, text: String) {
    let request = try HTTPRequest.post("/", order)
    return (try ControlAnswer.order(request), String(decoding: request.body, as: UTF8.self))
  }

  @Test
  func `the routes read what a client writes, and members that are nil are left out`() throws {
    #expect(try read(NoMembers()).text == "{}")
    #expect(try read(DisconnectOrder()).text == "{}")
    let disconnect = try read(DisconnectOrder(code: 4321, reason: "é \"x\""))
    #expect(disconnect.text == #"{"code":4321,"reason":"é \"x\""}"#)
    #expect(disconnect.order.code == 4321 && disconnect.order.reason == "é \"x\"")
    #expect(try read(DrainOrder(windowS: 1.5)).text == #"{"window_s":1.5}"#)
    let wait = try read(WaitOrder(kind: "refreshed", user: "ann", after: 7, withinMs: 0))
    #expect(wait.text == #"{"kind":"refreshed","user":"ann","after":7,"within_ms":0}"#)
    let late = [ExpectOrder.Late(fromMs: 1, toMs: 3, lostMs: 2)]
    let expect = try read(ExpectOrder(expect: "comes_back", late: late, newToken: false))
    #expect(expect.text.contains(#""late":[{"from_ms":1,"to_ms":3,"lost_ms":2}]"#))
    #expect(expect.order.late?.first?.lostMs == 2 && expect.order.newToken == false)
    let advance = try read(AdvanceOrder(byS: 86_400, patienceMs: 0)).order
    #expect(advance.byS == 86_400 && advance.patienceMs == 0 && advance.wall == nil)
  }

  @Test
  func `the settings of a space are read back as they were written`() throws {
    let settings = #"{"refresh-timeout":"2s","seconds":[1,2.50,true],"wire":{"content":{"a": 1e2}}}"#
    let order = try read(MakeSpaceOrder(name: "t17", settings: JSONFragment(settings)))
    #expect(order.text == #"{"name":"t17","settings":\#(settings)}"#)
    #expect(order.order.settings?.text == settings)
    let space = try MakeSpaceOrder.space(.post("/spaces", order.order))
    #expect(space.settings.map(\.name) == ["refresh-timeout", "seconds", "wire"])
  }

  @Test(arguments: [#""text""#, "7", "[]"])
  func `settings that are no object are refused`(settings: String) throws {
    let request = try HTTPRequest.post("/spaces", MakeSpaceOrder(settings: JSONFragment(settings)))
    let error = #expect(throws: GatewayError.self) { try MakeSpaceOrder.space(request) }
    let sentence = "settings must be an object of options of postern serve, or of postern proxy"
    #expect(error?.message.hasSuffix(sentence) == true)
  }

  @Test(arguments: [Double.infinity, .nan])
  func `an order with a number that is not finite cannot be sent`(number: Double) {
    #expect(throws: EncodingError.self) { try HTTPRequest.post("/drain", DrainOrder(windowS: number)) }
  }
}
