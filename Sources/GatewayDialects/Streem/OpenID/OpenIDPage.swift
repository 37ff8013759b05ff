internal import GatewayCore

/// The pages that a person sees.
enum OpenIDPage {
  /// A form that logs somebody in. What is asked for stays on the server; the form holds its name only.
  static func login(
    _ request: String, company: StreemCompany, action: String, hint: String?, isRetry: Bool
  ) -> HTTPResponse {
    let wrong = isRetry ? #"<p class="wrong" role="alert">Wrong name or password.</p>"# : ""
    let name = hint.map { #" value="\#(escape($0))""# } ?? " autofocus"
    return page(
      status: isRetry ? 403 : 200, title: "Log in to \(company.name)",
      """
      \(wrong)<form method="post" action="\(escape(action))">
      <input type="hidden" name="request" value="\(escape(request))">
      <label for="username">Name</label>
      <input id="username" name="username" autocomplete="username" autocapitalize="none" required\(name)>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required>
      <button type="submit">Log in</button>
      <button type="submit" name="cancel" value="yes" class="quiet" formnovalidate>Cancel</button>
      </form>
      """)
  }

  /// Something that went wrong and cannot be told to the client.
  static func failure(_ error: OpenIDError) -> HTTPResponse {
    page(
      status: error.code == .temporarilyUnavailable ? 503 : 400, title: "This login cannot go on",
      "<p>\(escape(error.message)).</p>\n<p><code>\(error.code.rawValue)</code></p>")
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
        <title>\(escape(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        <h1>\(escape(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """)
    // No `form-action`: browsers hold the redirect that follows a form against it, which goes to the client's address.
    response.headers += [
      HTTPField("cache-control", "no-store"), HTTPField("referrer-policy", "no-referrer"),
      HTTPField("x-frame-options", "DENY"), HTTPField("x-content-type-options", "nosniff"),
      HTTPField(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"),
    ]
    return response
  }

  private static let style = """
    :root{color-scheme:light dark}
    body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh}
    main{width:min(22rem,90vw)}
    h1{font-size:1.4rem}
    form{display:grid;gap:.5rem}
    input,button{font:inherit;padding:.6rem;border:1px solid #888;border-radius:.4rem}
    button{background:#1457c8;color:#fff;border-color:#1457c8;margin-top:.5rem;cursor:pointer}
    button.quiet{background:none;color:inherit;border-color:#888;margin-top:0}
    .wrong{color:#c62828;font-weight:600}
    """

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
