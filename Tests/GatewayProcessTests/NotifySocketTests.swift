import Testing

@testable import GatewayProcess

struct NotifySocketTests {
  @Test
  func `without a service manager there is no socket`() throws {
    #expect(try NotifySocket([:]) == nil)
    #expect(try NotifySocket(["NOTIFY_SOCKET": ""]) == nil)
  }

  @Test(arguments: ["notify", "@", "/", "vsock:2:1234", "/" + String(repeating: "x", count: 107)])
  func `an address that is no path and no abstract name is an error, and so is a too long one`(name: String) {
    #expect(throws: NotifySocketError.self) { try NotifySocket(["NOTIFY_SOCKET": name]) }
  }

  @Test(
    arguments: [
      ("2000000", nil, .seconds(2)), ("2000000", "7", .seconds(2)), ("2000000", "8", nil), ("0", nil, nil),
      ("1", nil, .milliseconds(20)), ("-1", nil, nil), ("18446744073709551615", nil, .seconds(86_400)),
      ("x", nil, nil),
    ] as [(String, String?, Duration?)])
  func `the watchdog's interval is read within bounds, and only for this process`(
    interval: String, pid: String?, expected: Duration?
  ) throws {
    var environment = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": interval]
    environment["WATCHDOG_PID"] = pid
    #expect(try #require(try NotifySocket(environment, pid: 7)).watchdog == expected)
  }

  @Test
  func `news are lines of sd_notify, with times in microseconds`() {
    #expect(ServiceNews.ready(status: "Serving").text == "READY=1\nSTATUS=Serving")
    #expect(ServiceNews.reloading(since: .microseconds(1_500_001)).text == "RELOADING=1\nMONOTONIC_USEC=1500001")
    #expect(
      ServiceNews.stopping(within: .seconds(3)).text
        == "STOPPING=1\nSTATUS=Draining\nEXTEND_TIMEOUT_USEC=3000000")
    #expect(ServiceNews.stopping(within: .seconds(Int64.max)).text.hasSuffix("=\(Int64.max)"))
    #expect(ServiceNews.alive.text == "WATCHDOG=1" && ServiceNews.alive.mayBeLost)
  }
}
