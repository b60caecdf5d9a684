// The navigation of the admin with one more item, which leads to the program's own pages.
import { getHrefFromList, NavContainer, NavItem, NavList } from '@keystone-6/core/admin-ui/components';

function Navigation({ lists }) {
  return (
    <NavContainer>
      <NavList>
        <NavItem href="/">Dashboard</NavItem>
        {lists.map((list) => (
          <NavItem key={list.key} href={getHrefFromList(list)}>
            {list.label}
          </NavItem>
        ))}
        <NavItem href="/affiliates">Affiliates</NavItem>
      </NavList>
    </NavContainer>
  );
}

export const components = { Navigation };
