import GatewayCore
import Testing

@Suite("What is told to many, as a value")
struct AnnouncementTests {
  private let ann = UserID("ann")

  @Test("everybody hears the words of the format that they speak, and nothing in a format without words")
  func formats() {
    let announcement = Announcement(
      to: .users([ann]), [DialectFrame("plain", Frame(text: "one")), DialectFrame("other", Frame(text: "two"))])
    #expect(announcement.frame(in: "plain")?.frame(for: ann)?.text == "one")
    #expect(announcement.frame(in: "other")?.frame(for: ann)?.text == "two")
    #expect(announcement.frame(in: "third") == nil)
  }

  @Test("each hears the ending that is theirs, and who has none hears nothing")
  func endings() {
    let words = DialectFrame("plain", Frame(text: "unread "), endings: [ann: Array("2".utf8)])
    #expect(words.frame(for: ann) == Frame(text: "unread 2"))
    #expect(words.frame(for: UserID("bob")) == nil)
  }

  @Test("two that say the same are equal")
  func equality() {
    func announcement(_ text: String) -> Announcement {
      Announcement(
        to: .users([ann]), except: ConnectionID(loop: 0, serial: 1), [DialectFrame("plain", Frame(text: text))])
    }
    #expect(announcement("one") == announcement("one"))
    #expect(announcement("one") != announcement("two"))
  }
}
