import GatewayCore
import Testing

struct IdentityTests {
  @Test(arguments: ["default:standup", "a:b", "live_stream:2027-01-15", "x:!room"])
  func `a call is named by a type and an id`(cid: String) throws {
    let call = try #require(CallID(cid: cid))
    #expect("\(call.type):\(call.id)" == cid)
    #expect(call.description == cid)
  }

  @Test(arguments: ["", ":", "a", "a:", ":b", "a:b:c", "a b:c", "a:ä", "a:b/c", "a:b\n", "a:b\0", "ａ:b"])
  func `a text other than type:id names no call`(cid: String) {
    #expect(CallID(cid: cid) == nil)
  }

  @Test
  func `a call's name is 128 bytes at most`() {
    #expect(CallID(cid: "default:" + String(repeating: "x", count: 120)) != nil)
    #expect(CallID(cid: "default:" + String(repeating: "x", count: 121)) == nil)
  }

  @Test
  func `a connection's name has its loop and its number, and reads back`() throws {
    for (loop, serial) in [(0, 1), (7, 123_456), (4_095, (UInt64(1) << 52) - 1)] as [(Int, UInt64)] {
      let id = ConnectionID(loop: loop, serial: serial)
      #expect(id.loop == loop && id.serial == serial)
      #expect(id.description == "conn_\(loop)_\(serial)")
      #expect(ConnectionID(id.description) == id)
    }
  }

  @Test(arguments: [
    "", "conn", "conn_1", "conn_1_", "conn__1", "conn_1_2_3", "con_1_2", "conn_-1_2", "conn_4096_1", "conn_1_-2",
    "conn_0_4503599627370496", "conn_a_1", "conn_1_99999999999999999999999",
  ])
  func `a text other than conn_loop_number names no connection`(text: String) {
    #expect(ConnectionID(text) == nil)
  }

  @Test
  func `the anonymous user is the one that call tokens name`() {
    #expect(UserID.anonymous.description == "!anon")
    #expect(UserKind.allCases.map(\.rawValue) == ["regular", "guest", "anonymous"])
  }
}
