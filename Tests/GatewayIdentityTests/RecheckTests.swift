import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Tokens of open sessions are asked about again, if the operator wants that.
@Suite(.timeLimit(.minutes(2)))
struct RecheckTests {
  @Test
  func `a session whose token is no longer active is closed with 4004 within a period and a fifth, and no other`()
    throws
  {
    let space = try IntrospectionSpace(revocation: .close) { $0.recheck = .seconds(60) }
    space.server.tokens["tok-bob"] = #""sub":"bob""#
    let (ann, bob) = (space.connect("tok-ann"), space.connect("tok-bob"))
    space.pass(200)
    #expect(ann.isOpen && bob.isOpen)
    let revoked = space.inner.world.now
    space.server.tokens["tok-ann"] = nil
    space.pass(75)
    #expect(ann.ending?.code == 4004 && bob.isOpen)
    #expect((ann.ending?.at).map { $0 - revoked <= .seconds(75) } == true)
    #expect([401, 401_009, 401_013].contains(space.outcome("tok-ann")))
    let told = space.logs.all("introspection_inactive")
    #expect(told.count == 1 && told[0]["user"] == "ann" && told[0]["sessions"] == "1")
    #expect(!"\(told)".contains("tok-"))
  }

  @Test
  func `if sessions are to be asked, one whose token is no longer active is asked for another`() throws {
    let space = try IntrospectionSpace { $0.recheck = .seconds(60) }
    let ann = space.connect("tok-ann")
    space.pass(10)
    space.server.tokens = ["tok-new": #""sub":"ann""#]
    space.pass(75)
    #expect(ann.texts.last?.contains(bytesOf: #""type":"refresh_required""#) == true, "\(ann.texts)")
    ann.say(#"{"type":"refresh","token":"tok-new"}"#)
    space.pass(200)
    #expect(ann.isOpen && ann.texts.contains { $0.contains(bytesOf: #""type":"refreshed""#) })
  }

  @Test(.long)
  func `a server that is away for long ends no session, and is asked at most once a second`() throws {
    let space = try IntrospectionSpace(revocation: .close) { $0.recheck = .seconds(10) }
    for index in 0..<100 { space.server.tokens["tok-\(index)"] = "\"sub\":\"u\(index)\"" }
    let peers = (0..<100).map { space.begin("tok-\($0)") }
    space.pass(5)
    #expect(peers.allSatisfy { IntrospectionSpace.outcome($0) == 0 })
    space.server.answer = { HTTPResponse(status: 500) }
    let before = space.server.requests.count
    space.pass(900)
    #expect(peers.allSatisfy { $0.isOpen })
    #expect(space.server.requests.count - before < 950, "\(space.server.requests.count - before)")
    space.server.answer = nil
    space.server.tokens["tok-7"] = nil
    space.pass(30)
    #expect(peers.count { !$0.isOpen } == 1 && !peers[7].isOpen)
  }

  @Test
  func `a token without a session is forgotten, and not asked about again`() throws {
    let space = try IntrospectionSpace { $0.recheck = .seconds(60) }
    space.connect("tok-ann").close()
    space.pass(100)
    let count = space.server.requests.count
    space.pass(3_600)
    #expect(space.server.requests.count == count && count == 1)
    let ann = space.connect("tok-ann")
    space.pass(600)
    #expect(ann.isOpen && space.server.requests.count > count + 5)
  }
}
