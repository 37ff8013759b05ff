internal import GatewayCore
internal import GatewayKit

/// The HTML pages for people, such as the login form.
enum OpenIDPage {
  /// An error in the submitted form.
  enum Problem {
    case wrong
    case tooManyTries(Duration)

    var sentence: String {
      switch self {
      case .wrong: "Wrong name or password."
      case .tooManyTries(let wait): "Too many tries. Try again in \(wait.wholeSecondsUp) seconds."
      }
    }

    var status: Int {
      switch self {
      case .wrong: 403
      case .tooManyTries: 429
      }
    }
  }

  /// Returns the login form with the known name filled in, and the focus on the first empty field. `sealed` is the
  /// authorization request.
  static func login(
    _ sealed: String, company: StreemCompany, action: String, name: String?, problem: Problem?
  ) -> HTTPResponse {
    let notice = problem.map { #"<p id="problem" class="wrong" role="alert">\#($0.sentence)</p>"# } ?? ""
    let described = problem == nil ? "" : #" aria-describedby="problem""#
    let value = name.map { #" value="\#(Escaping.markup($0))""# } ?? ""
    let focus = (name: name == nil ? " autofocus" : "", password: name == nil ? "" : " autofocus")
    var response = page(
      status: problem?.status ?? 200, title: "Log in to \(company.name)",
      """
      \(notice)<form method="post" action="\(Escaping.markup(action))">
      <input type="hidden" name="request" value="\(Escaping.markup(sealed))">
      <label for="username">Name</label>
      <input id="username" name="username" autocomplete="username" autocapitalize="none"\
       spellcheck="false" required\(value)\(described)\(focus.name)>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password"\
       required\(described)\(focus.password)>
      <button type="submit">Log in</button>
      <button type="submit" name="cancel" value="yes" class="quiet" formnovalidate>Cancel</button>
      </form>
      """)
    if case .tooManyTries(let wait)? = problem { response.headers.append(.retryAfter(wait)) }
    return response
  }

  /// Returns a page about an error that the client must not receive.
  static func failure(_ error: StreemFailure) -> HTTPResponse {
    page(
      status: error.status == 503 ? 503 : 400, title: "This login cannot go on",
      "<p>\(Escaping.markup(error.message)).</p>\n<p><code>\(error.reason)</code></p>")
  }

  static func companyUnknown() -> HTTPResponse {
    page(
      status: 404, title: "No such company",
      "<p>No company answers at this address. Look at how the application's login is set up.</p>")
  }

  /// Returns the page behind an invitation's link. It does not reveal whether the code is valid; only the application
  /// learns that.
  static func invitation(_ code: StreemInvitationCode) -> HTTPResponse {
    page(
      status: 200, title: "You are invited",
      "<p>Open the application and enter this code:</p>\n<p><strong>\(code.text)</strong></p>")
  }

  static func noInvitation() -> HTTPResponse {
    page(status: 404, title: "No invitation", "<p>An invitation's code has nine digits.</p>")
  }

  /// Returns the page behind a call's link; nil for a call that does not exist.
  static func call(_ state: StreemRoom.State?) -> HTTPResponse {
    let sentence: String
    switch state {
    case nil:
      return page(status: 404, title: "No such call", "<p>There is no call at this address, or it was long ago.</p>")
    case .ringing: sentence = "It rings. Open the application to join it."
    case .live: sentence = "It goes on. Open the application to come back to it."
    case .ended: sentence = "It is over. Open the application to look at it again."
    }
    return page(status: 200, title: "Your call", "<p>\(sentence)</p>")
  }

  /// Returns the page with a call's details, for people who got its link from the company. Without media there are no
  /// recordings.
  static func details(of room: StreemRoom) -> HTTPResponse {
    var lines =
      switch room.state {
      case .ringing: ["It rings."]
      case .live: ["It goes on."]
      case .ended: ["It is over."]
      }
    if let end = room.endedAt { lines.append("It lasted \((end - room.createdAt).wholeSecondsUp) seconds.") }
    if let reference = room.referenceID { lines.append("Reference: \(reference)") }
    for party in [room.caller, room.callee] {
      lines.append("\(party.role.rawValue): \(party.user.name ?? party.user.externalID.text)")
    }
    return page(
      status: 200, title: "The details of a call",
      lines.map { "<p>\(Escaping.markup($0))</p>" }.joined(separator: "\n"))
  }

  static func later() -> HTTPResponse {
    page(status: 503, title: "Not now", "<p>Try again in a moment.</p>")
  }

  static func loggedOut() -> HTTPResponse {
    page(status: 200, title: "You are logged out", "<p>You can close this window.</p>")
  }

  private static func page(status: Int, title: String, _ content: String) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, contentType: "text/html; charset=utf-8",
      text: """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Escaping.markup(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        <h1>\(Escaping.markup(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """)
    // No `form-action`: browsers apply it to the redirect after a form too, which goes to the client's URL.
    response.headers += [
      HTTPField("cache-control", "no-store"), HTTPField("referrer-policy", "no-referrer"),
      HTTPField("x-frame-options", "DENY"), HTTPField("x-content-type-options", "nosniff"),
      HTTPField(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"),
    ]
    if status == 503 { response.headers.append(.retryAfter(.seconds(5))) }
    return response
  }

  /// Text has a contrast of at least 4.5 to its background, borders and the focus ring one of 3 (WCAG 2.2, criteria
  /// 1.4.3 and 1.4.11), in the light and the dark theme.
  private static let style = """
    :root{color-scheme:light dark;--page:#ffffff;--text:#1b1b1f;--line:#6b7280;--accent:#1457c8;\
    --on-accent:#ffffff;--wrong:#b3261e}
    @media (prefers-color-scheme:dark){:root{--page:#16181d;--text:#e8e8ec;--line:#8b93a1;--accent:#8ab4f8;\
    --on-accent:#0b1a33;--wrong:#ff9a8f}}
    body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh;\
    background:var(--page);color:var(--text)}
    main{width:min(22rem,90vw);overflow-wrap:anywhere}
    h1{font-size:1.4rem}
    form{display:grid;gap:.5rem}
    input,button{font:inherit;padding:.6rem;border:1px solid var(--line);border-radius:.4rem}
    input{background:var(--page);color:var(--text)}
    button{background:var(--accent);color:var(--on-accent);border-color:var(--accent);margin-top:.5rem;cursor:pointer}
    button.quiet{background:var(--page);color:var(--text);border-color:var(--line);margin-top:0}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
    .wrong{color:var(--wrong);font-weight:600}
    """
}
