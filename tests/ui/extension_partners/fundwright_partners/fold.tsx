import type { FoldProps, Kit } from "./widgets";

export default async ({ React, mui }: Kit) => {
  const { Accordion, AccordionDetails, AccordionSummary } = await mui();
  return {
    Fold({ title, children }: FoldProps) {
      const [isOpen, setOpen] = React.useState(true);
      return (
        <Accordion expanded={isOpen} onChange={(_event, isNowOpen) => setOpen(isNowOpen)}>
          <AccordionSummary>{title}</AccordionSummary>
          <AccordionDetails>{children}</AccordionDetails>
        </Accordion>
      );
    },
  };
};
